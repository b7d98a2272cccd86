import type * as Runtime from "onnxruntime-node";
import { ModelInvalidError } from "../errors.ts";

type Input = { readonly name: string; readonly type: "int32" | "int64" };

type Rows = readonly (readonly number[])[];

/** The value of each input for a place in a row of tokens, including the padding after it. */
const values: Readonly<
  Record<string, (row: readonly number[], at: number, paddingId: number) => number>
> = {
  input_ids: (row, at, paddingId) => row[at] ?? paddingId,
  attention_mask: (row, at) => (at < row.length ? 1 : 0),
  token_type_ids: () => 0,
  position_ids: (_, at) => at,
};

/**
 * The inputs that a graph declares. It refuses others, and cannot run without one of its own.
 *
 * @throws {ModelInvalidError} if one of them is unknown, or none takes tokens.
 */
export function inputsOf(location: string, { inputMetadata }: Runtime.InferenceSession): Input[] {
  const inputs = inputMetadata.map((input): Input => {
    const type = input.isTensor ? input.type : "no tensor";
    if (Object.hasOwn(values, input.name) && (type === "int64" || type === "int32")) {
      return { name: input.name, type };
    }
    const reason = `it wants an input "${input.name}" (${type}), which is not supported`;
    throw new ModelInvalidError(location, reason);
  });
  if (inputs.some(({ name }) => name === "input_ids")) return inputs;
  throw new ModelInvalidError(location, "it has no input input_ids: it is no text model");
}

/** The tensors of one batch, each row padded to `width`. */
export function feedsOf(
  { Tensor }: typeof Runtime,
  inputs: readonly Input[],
  rows: Rows,
  width: number,
  paddingId: number,
): Record<string, Runtime.Tensor> {
  const feeds: Record<string, Runtime.Tensor> = {};
  for (const { name, type } of inputs) {
    const cells = rows.flatMap((row) =>
      Array.from({ length: width }, (_, at) => values[name]?.(row, at, paddingId) ?? 0),
    );
    const numbers = type === "int32" ? Int32Array.from(cells) : BigInt64Array.from(cells, BigInt);
    feeds[name] = new Tensor(type, numbers, [rows.length, width]);
  }
  return feeds;
}
