import { windowText } from "@pond/sessions/search";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutForms, foldCase, indexForms } from "./case-folding.ts";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

const texts: Readonly<Record<string, string>> = {
  street: "auf der Straße stehen Fußgänger",
  swiss: "uff de Strasse stönd Fussgänger",
  capitals: "AUF DER STRASSE STEHEN FUSSGÄNGER",
  sizes: "die Klassengröße messen",
  light: "Işık hızı sabittir",
  small: "kırmızı ışık yandı",
  loud: "KIRMIZI IŞIK YANDI",
  izmir: "yarın İzmir yolunda",
  loudIzmir: "YARIN İZMİR YOLUNDA",
  ascii: "tomorrow izmir is sunny",
  english: "the class of an index is missing",
};

let store: TestStore;
beforeAll(async () => {
  const others = Array.from({ length: 20 }, (_, at) => ({ id: `o${at}`, texts: [`noise ${at}`] }));
  const chats = Object.entries(texts).map(([id, text]) => ({ id, texts: [text] }));
  store = await storeOf([...chats, ...others]);
});
afterAll(() => store.remove());

/** What is found, and what is marked of it. */
async function found(query: string): Promise<Record<string, string[]>> {
  const { sessions } = await search(store.sessions, { query, limit: 100 });
  const entries = sessions.map(({ session_id: id, matches: [match] }) => {
    const { text = "", highlights = [] } = match?.snippet ?? {};
    return [id, highlights.map(([start, end]) => text.slice(start, end))] as const;
  });
  return Object.fromEntries(entries);
}

describe("search that ignores capitals", () => {
  it.each(["Straße", "STRASSE", "strasse", "+Strasse", "+Straße"])(
    "finds ß, ss and SS alike: %s",
    async (query) => {
      expect(await found(query)).toEqual({
        street: ["Straße"],
        swiss: ["Strasse"],
        capitals: ["STRASSE"],
      });
    },
  );

  it.each(["KLASSENGRÖSSE", "klassengröße"])(
    "finds a word in which one SS of two stands for ß: %s",
    async (query) => {
      expect(await found(query)).toEqual({ sizes: ["Klassengröße"] });
    },
  );

  it.each(["ışık", "Işık", "IŞIK", "+ışık"])(
    "finds every case of a word that begins with a dotless i: %s",
    async (query) => {
      expect(await found(query)).toEqual({ light: ["Işık"], small: ["ışık"], loud: ["IŞIK"] });
    },
  );

  it.each(["izmir", "İzmir", "İZMİR", "+izmir", "Izmir", "IZMIR", "+IZMIR"])(
    "finds every case of a word that begins with a dotted i: %s",
    async (query) => {
      expect(await found(query)).toEqual({
        ascii: ["izmir"],
        izmir: ["İzmir"],
        loudIzmir: ["İZMİR"],
      });
    },
  );

  it.each(["kırmızı", "Kırmızı", "KIRMIZI"])(
    "finds every case of a word with a dotless i inside: %s",
    async (query) => {
      expect(await found(query)).toEqual({ small: ["kırmızı"], loud: ["KIRMIZI"] });
    },
  );

  it("ignores capitals in phrases and in excluded words", async () => {
    expect(
      Object.keys(await found('"der Straße"'))
        .slice(0, 2)
        .sort(),
    ).toEqual(["capitals", "street"]);
    expect(await found("Fußgänger -strasse")).toEqual({});
    for (const name of ["izmir", "IZMIR"]) {
      expect(Object.keys(await found(`yarın -${name}`))).toEqual([]);
    }
    expect(await found("class index")).toEqual({ english: ["class", "index"] });
  });
});

describe("indexForms", () => {
  it.each([
    ["retry", ["retry"]],
    ["Straße", ["Straße", "Strasse"]],
    ["class", ["class", "claß"]],
    ["session_id", ["session_id"]],
    ["the class", ["the class"]],
    ["trivial", ["trivial"]],
    ["index", ["index", "İndex"]],
    ["izmir", ["izmir", "İzmir", "İZMİR"]],
    ["Izmir", ["Izmir", "ızmir", "IZMİR", "İzmir", "İZMİR"]],
    ["IZMIR", ["IZMIR", "ızmır", "Izmır", "İzmir", "İZMİR"]],
    ["API", ["API", "apı", "APİ"]],
    ["Trivial", ["Trivial"]],
  ])("gives few forms of %s, which differ only in case", (text, forms) => {
    expect(indexForms(text)).toEqual(forms);
    expect(new Set(forms.map(foldCase)).size).toBe(1);
  });
});

describe("cutForms", () => {
  it.each([
    ["instance", ["insta", "İnsta"]],
    ["Passage", ["Passa", "Paßag"]],
    ["PASSAGE", ["PASSA", "PAßAG"]],
    ["Modifying", ["Modif"]],
    ["ΔΡΟΜΣΑ", ["ΔΡΟΜΣ", "ΔΡΟΜς"]],
  ])("gives each cut form of %s once, without the letters cut off", (text, forms) => {
    expect(cutForms(text, windowText)).toEqual(forms);
  });
});
