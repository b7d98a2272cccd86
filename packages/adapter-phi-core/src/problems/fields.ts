import {
  fromRfc3339,
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
} from "@pond/canonical";

/** Takes one problem: where it is, and what is wrong there. */
export type Report = (place: string, problem: string) => void;

type Presence = "required" | "default";

/** The fields of one structure, checked as the library decodes them. */
export type Fields = {
  text(key: string, presence?: Presence): void;
  textOrNull(key: string): void;
  time(key: string): void;
  timeOrNull(key: string): void;
  flag(key: string): void;
  /** A whole number from 0 to 2^64 - 1. */
  count(key: string, presence?: Presence): void;
  oneOf(key: string, values: readonly string[], presence?: Presence): void;
  objectOrNull(key: string): JsonObject | undefined;
  list(key: string): void;
  objects(key: string, presence?: Presence): readonly JsonObject[];
};

export function fieldsOf(object: JsonObject, place: string, report: Report): Fields {
  const check = (
    key: string,
    presence: Presence,
    isRight: (value: JsonValue) => boolean,
    problem: string,
  ): void => {
    const value = object[key];
    if (value === undefined ? presence === "required" : !isRight(value)) {
      report(`${place}.${key}`, value === undefined ? "is missing" : problem);
    }
  };
  const isTime = (value: JsonValue): boolean =>
    typeof value === "string" && fromRfc3339(value) !== undefined;
  const isText = (value: JsonValue): boolean => typeof value === "string";
  return {
    text: (key, presence = "required") => check(key, presence, isText, "is no text"),
    textOrNull: (key) => check(key, "default", (v) => v === null || isText(v), "is no text"),
    time: (key) => check(key, "required", isTime, "is no time"),
    timeOrNull: (key) => check(key, "default", (v) => v === null || isTime(v), "is no time"),
    flag: (key) => check(key, "required", (v) => typeof v === "boolean", "is no boolean"),
    count: (key, presence = "required") => check(key, presence, isCount, "is no whole number"),
    oneOf: (key, values, presence = "required") =>
      check(key, presence, (v) => values.includes(String(v)), "is none that the library knows"),
    objectOrNull: (key) => {
      check(key, "default", (v) => v === null || isJsonObject(v), "is no object");
      const value = object[key];
      return isJsonObject(value) ? value : undefined;
    },
    list: (key) => check(key, "required", Array.isArray, "is no list"),
    objects: (key, presence = "required") => {
      const value = object[key];
      const isList = Array.isArray(value) && value.every(isJsonObject);
      check(key, presence, () => isList, "is no list of objects");
      return isList ? value.filter((each: JsonValue) => isJsonObject(each)) : [];
    },
  };
}

const largest = 2n ** 64n - 1n;

function isCount(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0;
  return isRawNumber(value) && /^\d+$/.test(value.rawJSON) && BigInt(value.rawJSON) <= largest;
}
