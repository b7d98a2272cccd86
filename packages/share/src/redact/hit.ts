/** A place in a text that a rule takes for a secret. Positions are UTF-16; `end` is exclusive. */
export type Hit = {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
};
