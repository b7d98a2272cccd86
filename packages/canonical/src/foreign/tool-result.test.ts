import { expect, it } from "vitest";
import { parseJson } from "../json.ts";
import { resultBlocks } from "./tool-result.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", mediaType: "image/png", base64: "aGk=" };

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
    "an image with its data",
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
    "an image that is elsewhere",
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
    "output with what is attached to it",
    '{"output":"a","attachments":[{"type":"file","url":"data:image/png;base64,aGk="}]}',
    [text("a"), image],
    true,
  ],
  [
    "an image by its address, which holds it",
    '[{"type":"file","uri":"data:image/png;base64,aGk="}]',
    [image],
    true,
  ],
  ["output in an object", '{"output":"a"}', [text("a")], true],
  ["an object that says more", '{"output":"a","code":1}', [text('{"output":"a","code":1}')], false],
  ["exact numbers", '{"n":9007199254740993}', [text('{"n":9007199254740993}')], false],
])("reads %s", (_, json, blocks, isWhole) => {
  expect(resultBlocks(parseJson(json))).toEqual({ blocks, isWhole });
});
