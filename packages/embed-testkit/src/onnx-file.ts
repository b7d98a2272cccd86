import protobuf from "protobufjs";

/** Element types of ONNX tensors that the test model uses, by the format's own numbers. */
export const elementType = { float: 1, int8: 3, int64: 7, float16: 10 } as const;

export type OnnxTensor = {
  readonly name: string;
  readonly dims: readonly number[];
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The file beside the graph that holds the bytes. */
  readonly file?: string | undefined;
};

/** An input or output tensor; a text stands for a dimension that varies from call to call. */
export type OnnxValue = {
  readonly name: string;
  readonly type: number;
  readonly shape: readonly (number | string)[];
};

export type OnnxNode = {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number>>;
};

export type OnnxGraph = {
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
};

// The part of onnx.proto that such a graph needs; field numbers are the format's.
const schema = `
syntax = "proto3";
message Attribute { string name = 1; int64 i = 3; int32 type = 20; }
message Node {
  repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
  repeated Attribute attribute = 5;
}
message Entry { string key = 1; string value = 2; }
message Tensor {
  repeated int64 dims = 1; int32 data_type = 2; string name = 8; optional bytes raw_data = 9;
  repeated Entry external_data = 13; int32 data_location = 14;
}
message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
message Shape { repeated Dimension dim = 1; }
message TensorType { int32 elem_type = 1; Shape shape = 2; }
message Type { TensorType tensor_type = 1; }
message ValueInfo { string name = 1; Type type = 2; }
message Graph {
  repeated Node node = 1; string name = 2; repeated Tensor initializer = 5;
  repeated ValueInfo input = 11; repeated ValueInfo output = 12;
}
message OperatorSet { string domain = 1; int64 version = 2; }
message Model {
  int64 ir_version = 1; string producer_name = 2; Graph graph = 7;
  repeated OperatorSet opset_import = 8;
}`;

const integerAttribute = 2;
const externalLocation = 1;

/** The bytes of an ONNX model file. */
export function encodeOnnx(graph: OnnxGraph): Uint8Array {
  const type = protobuf.parse(schema, { keepCase: true }).root.lookupType("Model");
  return type
    .encode(
      type.create({
        ir_version: 8,
        producer_name: "pond",
        opset_import: [{ domain: "", version: 17 }],
        graph: {
          name: "test",
          node: graph.nodes.map((node, index) => ({
            name: `${node.type}_${index}`,
            op_type: node.type,
            input: node.inputs,
            output: node.outputs,
            attribute: Object.entries(node.attributes ?? {}).map(([name, i]) => ({
              name,
              i,
              type: integerAttribute,
            })),
          })),
          initializer: graph.tensors.map(({ name, dims, type: data_type, ...data }) => ({
            name,
            dims,
            data_type,
            ...toData(data),
          })),
          input: graph.inputs.map(toValueInfo),
          output: graph.outputs.map(toValueInfo),
        },
      }),
    )
    .finish();
}

function toData({ bytes, file }: Pick<OnnxTensor, "bytes" | "file">) {
  if (file === undefined) return { raw_data: bytes };
  const place = { location: file, offset: "0", length: String(bytes.length) };
  const external_data = Object.entries(place).map(([key, value]) => ({ key, value }));
  return { external_data, data_location: externalLocation };
}

function toValueInfo({ name, type, shape }: OnnxValue) {
  const dim = shape.map((size) =>
    typeof size === "number" ? { dim_value: size } : { dim_param: size },
  );
  return { name, type: { tensor_type: { elem_type: type, shape: { dim } } } };
}
