import test from 'ava';
import type { LogSink } from '../../src/telemetry/log-sink.js';
import { createLogging } from '../../src/telemetry/logging.js';
import { LOG_SCOPES, type LoggingOptions } from '../../src/telemetry/logging-options.js';

const DEFAULTS: LoggingOptions = {
  logAsJson: false,
  logCaller: [],
  logOutputLevel: [{ scope: 'default', level: 'info' }],
  logRotate: '',
  logRotateMaxAgeDays: 30,
  logRotateMaxBackups: 1000,
  logRotateMaxSizeMegabytes: 104857600,
  logStacktraceLevel: [{ scope: 'default', level: 'none' }],
  logTarget: ['stdout'],
};

/** A log whose lines are kept, at a fixed time. */
function logInto(options: Partial<LoggingOptions>, colored = false) {
  const lines: string[] = [];
  let closed = 0;
  const sink: LogSink = {
    colored,
    write: (text) => lines.push(text),
    close: async () => {
      closed += 1;
    },
  };
  const now = () => new Date('2030-01-02T03:04:05.678Z');
  const logging = createLogging({ ...DEFAULTS, ...options }, { now, sinks: [sink] });
  return { logging, lines, json: () => lines.map((line) => JSON.parse(line)), closed: () => closed };
}

test('a console line has time, level, scope, message and fields', (t) => {
  const { logging, lines } = logInto({});
  logging
    .scope('ads')
    .info({ node: 'sidecar~1.1.1.1~a.b~c', count: 2, text: 'a b', list: ['x'], none: undefined }, 'connected');
  logging.scope('default').warn({}, 'no fields');
  t.deepEqual(lines, [
    '2030-01-02T03:04:05.678Z  info   ads  connected  node=sidecar~1.1.1.1~a.b~c count=2 text="a b" list=["x"]\n',
    '2030-01-02T03:04:05.678Z  warn   default  no fields\n',
  ]);
});

test('a JSON line is one object with the same content', (t) => {
  const { logging, json } = logInto({ logAsJson: true });
  logging.scope('model').error({ host: 'a' }, 'lost');
  t.deepEqual(json(), [{ level: 'error', time: '2030-01-02T03:04:05.678Z', scope: 'model', host: 'a', msg: 'lost' }]);
});

test('colours are for terminals only', (t) => {
  const plain = logInto({});
  const terminal = logInto({}, true);
  for (const { logging } of [plain, terminal]) {
    logging.scope('ads').error({ a: 1 }, 'text');
  }
  t.false(plain.lines.join('').includes('\u001b'));
  t.true(terminal.lines.join('').includes('\u001b[31merror'));
});

test('a scope writes lines of its level and above', (t) => {
  const { logging, json } = logInto({
    logAsJson: true,
    logOutputLevel: [
      { scope: 'default', level: 'warn' },
      { scope: 'ads', level: 'debug' },
      { scope: 'kube', level: 'none' },
      { scope: 'mcp', level: 'fatal' },
    ],
  });
  for (const name of ['ads', 'kube', 'mcp', 'model'] as const) {
    const logger = logging.scope(name);
    logger.debug({}, 'debug');
    logger.info({}, 'info');
    logger.warn({}, 'warn');
    logger.error({}, 'error');
  }
  t.deepEqual(
    json().map(({ scope, level }) => `${scope} ${level}`),
    ['ads debug', 'ads info', 'ads warn', 'ads error', 'model warn', 'model error'],
  );
  t.true(logging.scope('ads').isDebugEnabled());
  t.false(logging.scope('model').isDebugEnabled());
});

test('"all" sets every scope, and the later entry wins', (t) => {
  const { logging } = logInto({
    logOutputLevel: [
      { scope: 'ads', level: 'debug' },
      { scope: 'all', level: 'error' },
      { scope: 'kube', level: 'debug' },
    ],
  });
  t.is(logging.scopes().get('ads')?.outputLevel, 'error');
  t.is(logging.scopes().get('kube')?.outputLevel, 'debug');
  t.is(logging.scopes().get('default')?.outputLevel, 'error');
});

test('every documented scope except all has a logger', (t) => {
  const { logging } = logInto({});
  t.deepEqual(
    [...logging.scopes().keys()],
    LOG_SCOPES.filter((scope) => scope !== 'all'),
  );
  for (const scope of logging.scopes().keys()) {
    t.false(logging.scope(scope).isDebugEnabled());
  }
});

test('levels change at run time, for one scope or for all', (t) => {
  const { logging, lines } = logInto({});
  const logger = logging.scope('ads');
  logger.debug({}, 'not yet');
  logging.change('ads', { outputLevel: 'debug' });
  logger.debug({}, 'now');
  t.is(lines.length, 1);
  t.true(logger.isDebugEnabled());
  t.false(logging.scope('kube').isDebugEnabled());
  logging.change('all', { outputLevel: 'none' });
  logger.error({}, 'silent');
  t.is(lines.length, 1);
  t.is(logging.scopes().get('kube')?.outputLevel, 'none');
});

test('lines of the selected scopes name the file and line of the caller', (t) => {
  const { logging, json } = logInto({ logAsJson: true, logCaller: ['ads'] });
  logging.scope('ads').info({}, 'a');
  logging.scope('kube').info({}, 'b');
  const [withCaller, without] = json();
  t.regex(withCaller.caller, /^telemetry\/logging\.test\.[jt]s:\d+$/);
  t.false('caller' in without);
  const all = logInto({ logCaller: ['all'] });
  all.logging.scope('kube').info({}, 'c');
  t.regex(all.lines[0] ?? '', / kube {2}telemetry\/logging\.test\.[jt]s:\d+ {2}c\n$/);
});

test('lines from the selected level on have a stack trace: of the error, else of the caller', (t) => {
  const { logging, json } = logInto({ logAsJson: true, logStacktraceLevel: [{ scope: 'default', level: 'error' }] });
  const logger = logging.scope('ads');
  const err = new Error('boom');
  logger.warn({ err }, 'below');
  logger.error({ err }, 'with error');
  logger.error({}, 'without');
  const [below, withError, without] = json();
  t.false('stack' in below);
  t.is(withError.stack, err.stack);
  t.regex(without.stack, /^ {4}at .*logging\.test\.[jt]s/);
});

test('an error is logged with type, message, code and causes, and without its stack', (t) => {
  const { logging, json, lines } = logInto({ logAsJson: true });
  const cause = new Error('inner', { cause: 'innermost' });
  const err = Object.assign(new TypeError('outer', { cause }), { code: 'E_X', secret: 'no' });
  logging.scope('ads').error({ err }, 'failed');
  logging.scope('ads').error({ err: 'text' }, 'failed');
  t.deepEqual(json()[0].err, { type: 'TypeError', message: 'outer', code: 'E_X', cause: 'inner: innermost' });
  t.deepEqual(json()[1].err, { type: 'string', message: 'text' });
  t.false(lines.join('').includes('secret'));

  const plain = logInto({});
  plain.logging.scope('ads').error({ err }, 'failed');
  t.true(plain.lines[0]?.endsWith('failed  err="outer: inner: innermost"\n'));
});

test('a cause that the message repeats is logged once', (t) => {
  const { logging, json } = logInto({ logAsJson: true });
  const cause = new Error('the address is not allowed');
  logging.scope('ads').warn({ err: new Error(`/keys cannot be fetched: ${cause.message}`, { cause }) }, 'fetch failed');
  t.deepEqual(json()[0].err, { type: 'Error', message: '/keys cannot be fetched: the address is not allowed' });
});

test('a cause with the same message is logged once', (t) => {
  const { logging, json } = logInto({ logAsJson: true });
  const cause = new Error('the folder does not exist', { cause: new Error('ENOENT') });
  logging.scope('ads').warn({ err: new Error(cause.message, { cause }) }, 'start failed');
  t.like(json()[0].err, { message: cause.message, cause: 'ENOENT' });
});

test('an error that is its own cause is logged', (t) => {
  const { logging, json } = logInto({ logAsJson: true });
  const err = new Error('loop');
  err.cause = err;
  logging.scope('ads').error({ err }, 'failed');
  t.is(json()[0].err.message, 'loop');
});

test('logged text can neither break a line nor control the terminal', (t) => {
  const { logging, lines } = logInto({});
  logging.scope('ads').info({ value: 'a\nb\u001b[2J\u009b', nested: { x: '\u2028' } }, 'odd');
  t.is(lines.length, 1);
  t.is(lines[0]?.split('\n').length, 2);
  t.false(/[\u0080-\u009f\u2028]|\p{Cc}(?!$)/u.test(lines[0] ?? ''));
});

test('fields cannot imitate the parts of a line', (t) => {
  const { logging, json } = logInto({ logAsJson: true });
  logging.scope('ads').info({ level: 'fatal', scope: 'kube', msg: 'x', time: 0 }, 'real');
  t.like(json()[0], { level: 'info', scope: 'ads', msg: 'real', level_: 'fatal', scope_: 'kube', msg_: 'x', time_: 0 });
});

test('values without a JSON form are logged too', (t) => {
  const { logging, lines } = logInto({});
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  logging.scope('ads').info({ circular, big: 12n, fn: () => 1 }, 'odd');
  t.is(lines.length, 1);
  t.true(lines[0]?.includes('big=12'));
});

test('every sink gets every line, and closing closes each', async (t) => {
  const one: string[] = [];
  const other: string[] = [];
  let closed = 0;
  const sinkInto = (lines: string[]): LogSink => ({
    colored: false,
    write: (text) => lines.push(text),
    close: async () => {
      closed += 1;
    },
  });
  const logging = createLogging(DEFAULTS, { now: () => new Date(0), sinks: [sinkInto(one), sinkInto(other)] });
  logging.scope('ads').info({}, 'x');
  await logging.close();
  t.deepEqual(one, other);
  t.is(one.length, 1);
  t.is(closed, 2);
});
