// A process that is over at once.
export {};
