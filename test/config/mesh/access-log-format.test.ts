import test from 'ava';
import { accessLogCommands } from '../../../src/config/mesh/access-log-commands.js';
import { validateAccessLogFormat } from '../../../src/config/mesh/access-log-format.js';
import { formatFinding } from '../../../src/config/violation.js';
import { buildFileAccessLog } from '../../../src/envoy/access-log.js';
import { buildTcpProxy } from '../../../src/envoy/network-proxies.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { findEnvoy } from '../../counterparts/find-envoy.js';
import { validateWithEnvoy } from '../../generators/envoy-verdict.js';
import { ENCODER } from '../../generators/served-resources.js';

type Encoding = 'TEXT' | 'JSON';

const envoy = findEnvoy();
const testWithEnvoy = 'value' in envoy ? test : test.skip;

/** Whether Envoy accepts a TCP listener with such a log. Envoy parses HTTP commands in it too. */
async function envoyTakes(format: string, encoding: Encoding): Promise<boolean> {
  const log = buildFileAccessLog(ENCODER, { path: '/dev/stdout', format, encoding });
  const proxy = buildTcpProxy(ENCODER, {
    statPrefix: 'a',
    clusters: [{ name: 'a', weight: 1 }],
    accessLogs: [log],
    idleTimeoutMs: undefined,
  });
  const address = { socketAddress: { address: '127.0.0.1', portValue: 1 } };
  const listener = ENCODER.encodeResource(TypeUrl.listener, 'a', {
    name: 'a',
    address,
    filterChains: [{ filters: [proxy] }],
  });
  const cluster = ENCODER.encodeResource(TypeUrl.cluster, 'a', {
    name: 'a',
    type: 'STATIC',
    connectTimeout: { seconds: 1 },
  });
  try {
    await validateWithEnvoy('value' in envoy ? envoy.value : '', ENCODER, {
      clusters: [cluster],
      listeners: [listener],
      routes: [],
    });
    return true;
  } catch {
    return false;
  }
}

const ACCEPTED: readonly (readonly [Encoding, string])[] = [
  ['TEXT', ''],
  ['TEXT', 'plain text, 100%% of it'],
  ['TEXT', '[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%" %RESPONSE_CODE%\n'],
  ['TEXT', '%REQ(a)%%RESP(b):10%%%%PROTOCOL%%%'],
  ['TEXT', '%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)% %PROTOCOL()%'],
  ['TEXT', '%COALESCE({"operators": [{"command": "REQ", "param": ":authority"}, "REQUESTED_SERVER_NAME"]})%'],
  ['JSON', ''],
  ['JSON', '{}'],
  ['JSON', '{"code": "%RESPONSE_CODE%", "%no command%": "in names"}'],
  ['JSON', '{"size": {"sent": "%BYTES_SENT%"}, "list": ["%PROTOCOL%", 1], "fixed": true, "none": null}'],
];

for (const [encoding, format] of ACCEPTED) {
  const title = `${encoding} ${JSON.stringify(format)}`;
  test(`accepted: ${title}`, (t) => {
    t.deepEqual(validateAccessLogFormat(format, encoding), []);
  });
  testWithEnvoy(`Envoy accepts too: ${title}`, async (t) => {
    t.true(await envoyTakes(format, encoding));
  });
}

const HOW_TO = 'write %NAME%, %NAME(argument)% or %NAME(argument):length%, and %% for a percent sign';

const REFUSED: readonly (readonly [Encoding, string, string])[] = [
  ['TEXT', '100% of it', `accessLogFormat: "% of it": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%PROTOCOL% %', `accessLogFormat: "%": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%%%', `accessLogFormat: "%": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%REQ(:PATH', `accessLogFormat: "%REQ(:PATH": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%REQ(a\n)%', `accessLogFormat: "%REQ(a\\n)%": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%REQ(a):x%', `accessLogFormat: "%REQ(a):x%": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%protocol%', `accessLogFormat: "%protocol%": does not start with a command; ${HOW_TO}`],
  ['TEXT', '%RESPONSE_COD%', 'accessLogFormat: "%RESPONSE_COD%": is not a command of Envoy; use RESPONSE_CODE'],
  [
    'TEXT',
    '%X%',
    'accessLogFormat: "%X%": is not a command of Envoy; use one of the access log commands of Envoy 1.40',
  ],
  ['TEXT', '%REQ%', 'accessLogFormat: "%REQ%": lacks an argument; write %REQ(argument)%'],
  ['TEXT', '%REQ():5%', 'accessLogFormat: "%REQ():5%": lacks an argument; write %REQ(argument)%'],
  ['TEXT', '%PROTOCOL(x)%', 'accessLogFormat: "%PROTOCOL(x)%": takes neither argument nor length; write %PROTOCOL%'],
  ['TEXT', '%PROTOCOL:3%', 'accessLogFormat: "%PROTOCOL:3%": takes neither argument nor length; write %PROTOCOL%'],
  [
    'TEXT',
    '%START_TIME(%s):3%',
    'accessLogFormat: "%START_TIME(%s):3%": takes no length; remove the colon and the number',
  ],
  [
    'JSON',
    '{"a": {"b c": ["%REQ%"]}}',
    'accessLogFormat.a["b c"][0]: "%REQ%": lacks an argument; write %REQ(argument)%',
  ],
];

for (const [encoding, format, expected] of REFUSED) {
  const title = `${encoding} ${JSON.stringify(format)}`;
  test(`refused: ${title}`, (t) => {
    t.deepEqual(validateAccessLogFormat(format, encoding).map(formatFinding), [expected]);
  });
  testWithEnvoy(`Envoy refuses too: ${title}`, async (t) => {
    t.false(await envoyTakes(format, encoding));
  });
}

for (const format of ['%PROTOCOL%', '[]', '"text"', 'null', '{"a": }']) {
  test(`no JSON object is refused: ${format}`, (t) => {
    t.like(validateAccessLogFormat(format, 'JSON'), [{ path: 'accessLogFormat', message: 'is not a JSON object' }]);
  });
}

test('JSON with deep nesting is refused, at any depth', (t) => {
  const deep = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
  t.deepEqual(validateAccessLogFormat(deep(15), 'JSON'), []);
  for (const levels of [16, 5000]) t.is(validateAccessLogFormat(deep(levels), 'JSON').length, 1);
});

testWithEnvoy('Envoy reads JSON as deep as is accepted', async (t) => {
  t.true(await envoyTakes(`{"a": ${'['.repeat(15)}"%PROTOCOL%"${']'.repeat(15)}}`, 'JSON'));
});

/** Valid arguments of commands that do not accept every argument. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  CEL: 'request.path',
  COALESCE: '{"operators": ["PROTOCOL"]}',
  COMMON_DURATION: 'DS_RX_BEG:DS_RX_END:ms',
  METADATA: 'ROUTE:a:b',
};

testWithEnvoy('Envoy knows every command that is accepted', async (t) => {
  const format = [...accessLogCommands()].map(([name, { argument, length }]) => {
    const given = argument === 'required' ? `(${ARGUMENTS[name] ?? 'a'})` : '';
    return `%${name}${given}${length ? ':5' : ''}%`;
  });
  t.deepEqual(validateAccessLogFormat(format.join(' '), 'TEXT'), []);
  t.true(await envoyTakes(format.join(' '), 'TEXT'));
});
