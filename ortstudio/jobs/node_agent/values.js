/** Values on their way in and out, described as the agent under Python describes them. */
'use strict';

const { Failed } = require('./failures');
const { readNpz, writeNpz } = require('./npz');

/** By number in ONNX `TensorProto.DataType`: name here, name of ONNX Runtime, array, npy type. */
const TYPES = {
  1: ['float32', 'float', Float32Array, '<f4'],
  2: ['uint8', 'uint8', Uint8Array, '|u1'],
  3: ['int8', 'int8', Int8Array, '|i1'],
  4: ['uint16', 'uint16', Uint16Array, '<u2'],
  5: ['int16', 'int16', Int16Array, '<i2'],
  6: ['int32', 'int32', Int32Array, '<i4'],
  7: ['int64', 'int64', BigInt64Array, '<i8'],
  8: ['string', 'string', null, ''],
  9: ['bool', 'bool', Uint8Array, '|b1'],
  10: ['float16', 'float16', Uint16Array, '<f2'],
  11: ['float64', 'double', Float64Array, '<f8'],
  12: ['uint32', 'uint32', Uint32Array, '<u4'],
  13: ['uint64', 'uint64', BigUint64Array, '<u8'],
};
const NUMBERS = Object.fromEntries(
  Object.entries(TYPES).map(([number, [name]]) => [name, Number(number)]),
);

/** `tensor(float)` for a session's metadata; empty where it says nothing. */
function typeText(metadata) {
  const number = metadata && metadata.isTensor && NUMBERS[metadata.type];
  return number ? `tensor(${TYPES[number][1]})` : '';
}

/** Name → tensor, for `InferenceSession.run`. */
function readValues(file, described, Tensor) {
  const arrays = readNpz(file);
  return Object.fromEntries(
    described.map((entry) => [entry.name, fromDescription(entry, arrays, Tensor)]),
  );
}

function fromDescription(entry, arrays, Tensor) {
  const type = entry.kind === 'tensor' && TYPES[entry.data_type];
  if (!type) {
    const what = entry.kind === 'tensor' ? `element type ${entry.data_type}` : `a ${entry.kind}`;
    throw new Failed('unsupported', `ONNX Runtime in JavaScript cannot take ${what}`);
  }
  const [name, , Typed] = type;
  const data = arrays.get(entry.array);
  if (Typed) return new Tensor(name, new Typed(data.buffer), entry.dims);
  return new Tensor(name, strings(data, arrays.get(`${entry.array}.lengths`)), entry.dims);
}

/** Strings, from their UTF-8 bytes and how many belong to each. */
function strings(data, lengths) {
  const text = Buffer.from(data.buffer);
  let end = 0;
  return Array.from(new BigInt64Array(lengths.buffer), (size) => {
    const start = end;
    end += Number(size);
    return text.toString('utf8', start, end);
  });
}

/** Put the values' arrays into a file and describe them. */
function writeValues(file, values) {
  const arrays = new Map();
  const described = values.map(([name, value]) => ({ ...describe(value, arrays), name }));
  writeNpz(file, arrays);
  return described;
}

function describe(value, arrays) {
  const number = value && NUMBERS[value.type];
  if (!number) {
    const what = (value && value.type) || 'what is no tensor';
    throw new Failed('unsupported', `ONNX Runtime in JavaScript cannot give ${what}`);
  }
  const array = `a${arrays.size}`;
  const dims = Array.from(value.dims, Number);
  if (value.type === 'string') {
    const encoded = value.data.map((text) => Buffer.from(text, 'utf8'));
    const lengths = BigInt64Array.from(encoded, (text) => BigInt(text.length));
    arrays.set(array, { type: '|u1', bytes: Buffer.concat(encoded) });
    arrays.set(`${array}.lengths`, { type: '<i8', bytes: bytesOf(lengths) });
  } else {
    const bytes = bytesOf(value.data);
    arrays.set(array, { type: TYPES[number][3], bytes, shape: dims });
  }
  return { kind: 'tensor', data_type: number, dims, array };
}

function bytesOf(array) {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

module.exports = { readValues, typeText, writeValues };
