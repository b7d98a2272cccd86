import { describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { type ConfigChange, changeConfig } from "./config-text.ts";

const off = (name: string): ConfigChange => ({ enabled: { [name]: false } });

describe("changeConfig", () => {
  it.each<[string, string, ConfigChange, string]>([
    ["begins a file", "", off("pi"), "[adapters.pi]\nenabled = false\n"],
    [
      "puts settings of the whole above the tables",
      "[adapters.pi]\nenabled = true\n",
      { storage: "/a b", namespace: "n", enabled: {} },
      'storage = "/a b"\nnamespace = "n"\n\n[adapters.pi]\nenabled = true\n',
    ],
    [
      "puts a setting below the others",
      '# mine\nnamespace = "n" # why\n\n[adapters.pi]\n',
      { storage: "s3://b/p", enabled: {} },
      '# mine\nnamespace = "n" # why\nstorage = "s3://b/p"\n\n[adapters.pi]\n',
    ],
    [
      "changes a value and keeps the comment",
      'storage = "/old" # the NAS\n',
      { storage: "/new", enabled: {} },
      'storage = "/new" # the NAS\n',
    ],
    [
      "changes a value in its own table",
      "[adapters.codex]\nenabled = true\n[adapters.pi]\n  enabled = true # x\npaths = []\n",
      off("pi"),
      "[adapters.codex]\nenabled = true\n[adapters.pi]\n  enabled = false # x\npaths = []\n",
    ],
    [
      "adds to a table",
      '[adapters."claude-code"] # c\npaths = ["/x"]\n',
      off("claude-code"),
      '[adapters."claude-code"] # c\nenabled = false\npaths = ["/x"]\n',
    ],
    [
      "keeps what it does not know, and ends of lines",
      "later = 1979-05-27T07:32:00Z\r\n[new]\r\nbig = 9_007_199_254_740_992\r\n",
      off("pi"),
      "later = 1979-05-27T07:32:00Z\r\n[new]\r\nbig = 9_007_199_254_740_992\r\n\r\n[adapters.pi]\r\nenabled = false\r\n",
    ],
    [
      "keeps ends of lines that differ, and a last line without one",
      'storage = "/a"\r\n# b\n[adapters.pi]',
      { storage: "/b", enabled: {} },
      'storage = "/b"\r\n# b\n[adapters.pi]',
    ],
    [
      "ends the last line where something follows it",
      'namespace = "n"',
      { storage: "/b", ...off("pi") },
      'namespace = "n"\nstorage = "/b"\n\n[adapters.pi]\nenabled = false\n',
    ],
    [
      "keeps a byte order mark",
      '\ufeffstorage = "/a"\n',
      { storage: "/b", enabled: {} },
      '\ufeffstorage = "/b"\n',
    ],
    ["says nothing twice", "adapters.pi.enabled = false", off("pi"), "adapters.pi.enabled = false"],
    ["takes nothing for a change", "# x", { enabled: {} }, "# x"],
    [
      "escapes what TOML wants escaped",
      "",
      { storage: '/a"b\\c\u007f', enabled: {} },
      'storage = "/a\\"b\\\\c\\u007f"\n',
    ],
  ])("%s", async (_, before, change, after) => {
    expect(await changeConfig(before, change, "config.toml")).toBe(after);
  });

  it.each([
    ["a dotted key", "adapters.pi.enabled = true\n"],
    ["an inline table", "adapters = { pi = { enabled = true } }\n"],
    ["a text of several lines that looks like a table", "x = '''\n[adapters.pi]\n'''\n"],
  ])("refuses %s instead of changing it wrongly, and says what to write", async (_, text) => {
    const changed = changeConfig(text, off("pi"), "config.toml");

    await expect(changed).rejects.toThrow(ConfigError);
    await expect(changed).rejects.toThrow("[adapters.pi]\nenabled = false");
  });
});
