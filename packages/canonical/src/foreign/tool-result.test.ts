import { expect, it } from "vitest";
import { type JsonValue, parseJson } from "../json.ts";
import type { ToolResultPart } from "../part.ts";
import { orphanBlocks, resultBlocks, resultText } from "./tool-result.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", mediaType: "image/png", base64: "aGk=" };

const pdf = { type: "file", mediaType: "application/pdf", base64: "aGk=" };

it.each<[string, string, readonly unknown[], boolean]>([
  ["text", '"a"', [text("a")], true],
  ["an empty text", '""', [], true],
  ["null", "null", [text("null")], false],
  [
    "text blocks",
    '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
    [text("a"), text("b")],
    true,
  ],
  ["text of the Responses API", '[{"type":"input_text","text":"a"}]', [text("a")], true],
  [
    "an image with a source",
    '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]',
    [image],
    true,
  ],
  [
    "an image with inline data",
    '[{"type":"image","mimeType":"image/png","data":"aGk="}]',
    [image],
    true,
  ],
  [
    "an image in a data URL",
    '[{"type":"input_image","image_url":"data:image/png;base64,aGk="}]',
    [image],
    true,
  ],
  [
    "an attached image",
    '[{"type":"file","mime":"image/png","url":"data:image/png;base64,aGk="}]',
    [image],
    true,
  ],
  [
    "an image at a web address",
    '[{"type":"input_image","image_url":"https://a/b.png"}]',
    [text('{"type":"input_image","image_url":"https://a/b.png"}')],
    false,
  ],
  [
    "an unknown block beside a known one",
    '[{"type":"text","text":"a"},{"type":"film"}]',
    [text("a"), text('{"type":"film"}')],
    false,
  ],
  [
    "content in an object",
    '{"content":[{"type":"text","text":"a"}],"details":null}',
    [text("a")],
    true,
  ],
  [
    "output with an attachment",
    '{"output":"a","attachments":[{"type":"file","url":"data:image/png;base64,aGk="}]}',
    [text("a"), image],
    true,
  ],
  [
    "an image in the `uri` of a file block",
    '[{"type":"file","uri":"data:image/png;base64,aGk="}]',
    [image],
    true,
  ],
  [
    "a document with a source",
    '[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="},"title":"a.pdf"}]',
    [{ ...pdf, name: "a.pdf" }],
    true,
  ],
  [
    "an attached file",
    '[{"type":"file","mime":"application/pdf","filename":"a.pdf","url":"data:application/pdf;base64,aGk="}]',
    [{ ...pdf, name: "a.pdf" }],
    true,
  ],
  [
    "an audio recording",
    '[{"type":"audio","mimeType":"audio/wav","data":"aGk="}]',
    [{ type: "file", mediaType: "audio/wav", base64: "aGk=" }],
    true,
  ],
  [
    "an attached text file",
    '[{"type":"file","filename":"a.csv","url":"data:text/csv;charset=utf-8;base64,aGk="}]',
    [text("[File a.csv, text/csv]\nhi")],
    false,
  ],
  [
    "an attached text file that is not UTF-8",
    '[{"type":"file","url":"data:text/csv;base64,/w=="}]',
    [{ type: "file", mediaType: "text/csv", base64: "/w==" }],
    true,
  ],
  [
    "an image that is a blob reference",
    '[{"type":"image","mimeType":"image/png","data":"blob:sha256:f0f0"}]',
    [text("[File without a name, image/png]")],
    false,
  ],
  [
    "an image whose data was removed",
    '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"[removed]"}}]',
    [text("[File without a name, image/png]")],
    false,
  ],
  [
    "a document without its data",
    '[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":""},"title":"a.pdf"}]',
    [text("[File a.pdf, application/pdf]")],
    false,
  ],
  [
    "an attached file without its data",
    '[{"type":"file","filename":"a.png","url":"data:image/png;base64,"}]',
    [text("[File a.png, image/png]")],
    false,
  ],
  [
    "an image in other forms of base64",
    '[{"type":"image","mimeType":"image/png","data":"aG\\nk"},{"type":"input_image","image_url":"data:image/png;base64,aGk%3D"}]',
    [image, image],
    true,
  ],
  ["output in an object", '{"output":"a"}', [text("a")], true],
  [
    "an object with further fields",
    '{"output":"a","code":1}',
    [text('{"output":"a","code":1}')],
    false,
  ],
  [
    "a number that no double carries",
    '{"n":9007199254740993}',
    [text('{"n":9007199254740993}')],
    false,
  ],
])("reads %s", (_, json, blocks, isWhole) => {
  expect(resultBlocks(parseJson(json))).toEqual({ blocks, isWhole });
});

it.each<[string, string, readonly unknown[], string]>([
  ["a text", '"seen"', [text("Result of look (c):\nseen")], "Result of look (c):\nseen"],
  ["an empty text", '""', [text("Result of look (c):\n")], "Result of look (c):\n"],
  [
    "a text and an image",
    '[{"type":"text","text":"seen"},{"type":"image","mimeType":"image/png","data":"aGk="}]',
    [text("Result of look (c):\nseen"), image],
    "Result of look (c):\nseen\n[Image, image/png]",
  ],
  [
    "two texts, one of them blank",
    '[{"type":"text","text":"seen"},{"type":"text","text":" "}]',
    [text("Result of look (c):\nseen")],
    "Result of look (c):\nseen\n ",
  ],
  [
    "a file alone",
    '[{"type":"file","filename":"a.pdf","url":"data:application/pdf;base64,aGk="}]',
    [text("Result of look (c):\n"), { ...pdf, name: "a.pdf" }],
    "Result of look (c):\n[File a.pdf, application/pdf]",
  ],
  ["JSON", '{"a":1}', [text('Result of look (c):\n{"a":1}')], 'Result of look (c):\n{"a":1}'],
])("names the tool and the call id of a result without a call: %s", (_, json, blocks, said) => {
  const part = {
    call_id: "c",
    name: "look",
    result: parseJson(json) as JsonValue,
  } as ToolResultPart;

  expect(orphanBlocks(part)).toEqual(blocks);
  expect(resultText(part)).toBe(said);
});
