/** A place in a text that a rule takes for a secret: UTF-16 positions, the end not included. */
export type Hit = {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
};
