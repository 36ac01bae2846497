/**
 * The child process for ONNX Runtime in JavaScript: `node main.js node|web FOLDER`, where FOLDER
 * holds `node_modules` with onnxruntime-node or onnxruntime-web (WebAssembly).
 *
 * It speaks what `ortstudio/jobs/protocol.py` describes: `probe`, `load`, `run` and `measure` as the
 * agent under Python serves them. What the packages cannot do fails with the kind `unsupported`.
 */
'use strict';

const readline = require('readline');
const { Failed, failing } = require('./failures');
const { measure } = require('./measure');
const { Runtime } = require('./runtime');
const { readValues, writeValues } = require('./values');

const PROTOCOL = 1;

/** Write one message; what was printed before it, if anything, is ended first. */
function say(type, fields) {
  process.stdout.write(`${JSON.stringify({ ...fields, type })}\n`);
}

/** Packages print to the console as they like, and standard output is ours. */
function keepOutputClean() {
  for (const name of ['log', 'info', 'debug']) console[name] = console.error;
  process.stdout.write('\n');
}

class Worker {
  constructor(kind, folder) {
    this.runtime = new Runtime(kind, folder);
    this.verbs = { probe: this.probe, load: this.load, run: this.run, measure: this.measure };
  }

  async serve(line) {
    let number = 0;
    try {
      const value = await failing('request', async () => {
        const request = JSON.parse(line);
        number = request.request;
        const verb = this.verbs[request.verb];
        if (!verb) throw new Failed('unsupported', `${this.runtime.name} cannot ${request.verb}`);
        const progress = (phase, done, total) =>
          say('progress', { request: number, phase, done, total });
        return verb.call(this, request.arguments, progress);
      });
      say('result', { request: number, value });
    } catch (error) {
      const { kind = 'request', message, stack = '' } = error;
      say('error', { request: number, kind, message, traceback: stack });
    }
  }

  async probe() {
    return this.runtime.described();
  }

  async measure(given, progress) {
    return measure(this.runtime, given, progress);
  }

  async load({ session }, progress) {
    this.runtime.import();
    progress('load', 0, 1);
    this.runtime.forget();
    const { handle, loadNs } = await this.runtime.session(session);
    return { load_ns: loadNs, providers: [this.runtime.provider], ...Runtime.ends(handle) };
  }

  async run({ session, inputs, outputs }, progress) {
    this.runtime.import();
    progress('load', 0, 2);
    const { handle, loadNs } = await this.runtime.session(session);
    const tensor = this.runtime.import().Tensor;
    const feeds = await failing('values', () => readValues(inputs.file, inputs.values, tensor));
    progress('run', 1, 2);
    const start = process.hrtime.bigint();
    const found = await failing('run', () => handle.run(feeds));
    const runNs = Number(process.hrtime.bigint() - start);
    const values = handle.outputNames.map((name) => [name, found[name]]);
    const described = await failing('values', () => writeValues(outputs, values));
    return { outputs: described, load_ns: loadNs, run_ns: runNs };
  }
}

function main() {
  keepOutputClean();
  say('hello', { protocol: PROTOCOL, python: '', platform: process.platform });
  const worker = new Worker(process.argv[2], process.argv[3]);
  let last = Promise.resolve();
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => {
    last = last.then(() => worker.serve(line));
  });
  // Work that is under way when our parent goes is of no use to anybody.
  lines.on('close', () => process.exit(0));
}

main();
