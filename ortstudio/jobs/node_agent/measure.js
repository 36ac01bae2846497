/** `measure`: time one load and its runs, as the agent under Python does, by path or from bytes. */
'use strict';

const fs = require('fs');
const { Failed, failing } = require('./failures');
const { readValues, writeValues } = require('./values');

const WAYS = ['path', 'bytes'];

/** A load of its own, a first run, `warmup` runs, and then the timed ones. */
async function measure(runtime, arguments_, progress) {
  const { session: spec, way, files, inputs } = arguments_;
  if (!WAYS.includes(way)) throw new Failed('unsupported', `${runtime.name} has no way ${way}`);
  runtime.forget();
  const importing = now();
  const { Tensor } = runtime.import();
  const importNs = now() - importing;
  const feed =
    inputs && (await failing('values', () => readValues(inputs.file, inputs.values, Tensor)));
  const cache = await prepared(arguments_.cache, files);
  progress('load', 0, 2);
  const before = process.memoryUsage().rss;
  const { handle, readNs, loadNs } = await loaded(runtime, spec, way);
  const found = {
    load_ns: Number(loadNs),
    read_ns: Number(readNs),
    import_ns: Number(importNs),
    rss_before_bytes: before,
    rss_after_load_bytes: process.memoryUsage().rss,
    private_after_load_bytes: null,
    read_bytes: null,
    cache,
  };
  if (feed) {
    progress('run', 1, 2);
    Object.assign(found, await timedRuns(handle, feed, arguments_));
  }
  return { ...found, peak_rss_bytes: process.resourceUsage().maxRSS * 1024 };
}

/** Read the files through where they are to be warm; nobody here can empty the system's cache. */
async function prepared(wanted, files) {
  if (wanted !== 'warm') return 'as-is';
  await failing('load', () => Promise.all(files.map((file) => fs.promises.readFile(file))));
  return 'warm';
}

async function loaded(runtime, spec, way) {
  const reading = now();
  const given = await failing('load', () =>
    way === 'path' ? runtime.model(spec) : fs.promises.readFile(spec.model),
  );
  const loading = now();
  const model = typeof given === 'string' ? given : new Uint8Array(given);
  const handle = await failing('load', () => runtime.create(spec, model));
  // Where only bytes can be had, reading them is part of a load by path.
  const start = way === 'path' ? reading : loading;
  return { handle, readNs: way === 'path' ? 0 : loading - reading, loadNs: now() - start };
}

/** The timed runs; the outputs of the last go into the file. */
async function timedRuns(handle, feed, { warmup, runs, run_ns: enough, outputs }) {
  const run = async () => {
    const start = now();
    const results = await failing('run', () => handle.run(feed));
    return [Number(now() - start), results];
  };
  let [firstRunNs, results] = await run();
  for (let left = warmup; left > 0; left -= 1) [, results] = await run();
  const times = [];
  const until = now() + BigInt(enough);
  while (times.length < runs && (now() < until || times.length < 2)) {
    const [ns, latest] = await run();
    times.push(ns);
    results = latest;
  }
  const values = handle.outputNames.map((name) => [name, results[name]]);
  const described = await failing('values', () => writeValues(outputs, values));
  return { first_run_ns: firstRunNs, run_ns: times, outputs: described };
}

/** Nanoseconds. */
function now() {
  return process.hrtime.bigint();
}

module.exports = { measure };
