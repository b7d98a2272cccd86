import { describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { type ConfigChange, changeConfig } from "./config-text.ts";

const off = (name: string): ConfigChange => ({ enabled: { [name]: false } });

describe("changeConfig", () => {
  it.each<[string, string, ConfigChange, string]>([
    ["writes a setting into an empty file", "", off("pi"), "[adapters.pi]\nenabled = false\n"],
    [
      "puts top-level settings above the tables",
      "[adapters.pi]\nenabled = true\n",
      { storage: "/a b", namespace: "n", enabled: {} },
      'storage = "/a b"\nnamespace = "n"\n\n[adapters.pi]\nenabled = true\n',
    ],
    [
      "puts a top-level setting below the others",
      '# mine\nnamespace = "n" # why\n\n[adapters.pi]\n',
      { storage: "s3://b/p", enabled: {} },
      '# mine\nnamespace = "n" # why\nstorage = "s3://b/p"\n\n[adapters.pi]\n',
    ],
    [
      "changes a value and keeps its comment",
      'storage = "/old" # the NAS\n',
      { storage: "/new", enabled: {} },
      'storage = "/new" # the NAS\n',
    ],
    [
      "changes a value only in its own table",
      "[adapters.codex]\nenabled = true\n[adapters.pi]\n  enabled = true # x\npaths = []\n",
      off("pi"),
      "[adapters.codex]\nenabled = true\n[adapters.pi]\n  enabled = false # x\npaths = []\n",
    ],
    [
      "adds a setting to an existing table",
      '[adapters."claude-code"] # c\npaths = ["/x"]\n',
      off("claude-code"),
      '[adapters."claude-code"] # c\nenabled = false\npaths = ["/x"]\n',
    ],
    [
      "keeps unknown settings and Windows line ends",
      "later = 1979-05-27T07:32:00Z\r\n[new]\r\nbig = 9_007_199_254_740_992\r\n",
      off("pi"),
      "later = 1979-05-27T07:32:00Z\r\n[new]\r\nbig = 9_007_199_254_740_992\r\n\r\n[adapters.pi]\r\nenabled = false\r\n",
    ],
    [
      "keeps mixed line ends and a last line without a line end",
      'storage = "/a"\r\n# b\n[adapters.pi]',
      { storage: "/b", enabled: {} },
      'storage = "/b"\r\n# b\n[adapters.pi]',
    ],
    [
      "ends an unfinished last line before adding to it",
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
    [
      "changes nothing that is set already",
      "adapters.pi.enabled = false",
      off("pi"),
      "adapters.pi.enabled = false",
    ],
    ["changes nothing if no change is asked for", "# x", { enabled: {} }, "# x"],
    [
      "escapes characters as TOML requires",
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
    ["a multi-line string that looks like a table", "x = '''\n[adapters.pi]\n'''\n"],
  ])("refuses %s instead of changing it wrongly, and says what to write", async (_, text) => {
    const changed = changeConfig(text, off("pi"), "config.toml");

    await expect(changed).rejects.toThrow(ConfigError);
    await expect(changed).rejects.toThrow("[adapters.pi]\nenabled = false");
  });
});
