import test from 'ava';
import type { ServiceConfig } from '../../../../src/config/policy/client-config.js';
import { stringAttribute } from '../../../../src/policy/client/attribute-value.js';
import { type CheckMetadata, checkMetadataStruct } from '../../../../src/policy/server/adapter/check-metadata.js';
import { settled } from '../../../support/policy-server.js';
import {
  HTTP_LOG_ENTRY,
  TCP_CONNECTED_ENTRY,
  TCP_DENIED_END_ENTRY,
  TCP_END_ENTRY,
  TCP_PERIODIC_ENTRY,
} from '../adapter/envoy-recordings.js';
import {
  createRig,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  type PolicyServerRig,
  policyEncoder,
} from '../policy-server-rig.js';

const BOOKS = 'books.default.svc.cluster.local';
const ECHO = 'echo.default.svc.cluster.local';
const NODE = { id: 'sidecar~10.0.0.9~books-1.default~default.svc.cluster.local' };

const text = (attributes: Readonly<Record<string, string>>): string =>
  policyEncoder.attributesText(
    new Map(Object.entries(attributes).map(([name, value]) => [name, stringAttribute(value)])),
  );

const SERVICES: Readonly<Record<string, Partial<ServiceConfig>>> = {
  [BOOKS]: {
    mixerAttributes: { attributes: { 'destination.service.host': { stringValue: BOOKS } } },
    httpApiSpec: [
      {
        patterns: [
          {
            httpMethod: 'GET',
            uriTemplate: '/ok',
            attributes: { attributes: { 'api.operation': { stringValue: 'ok' } } },
          },
        ],
        apiKeys: [],
      },
    ],
  },
  [ECHO]: { mixerAttributes: { attributes: { 'destination.service.host': { stringValue: ECHO } } } },
};

const CHECKED: CheckMetadata = {
  service: BOOKS,
  staticAttributes: text({ 'context.reporter.kind': 'inbound', 'destination.uid': 'of the filter' }),
  requestAttributes: `${text({ 'request.api_key': 'k1' })},${text({ 'api.operation': 'of the check' })}`,
  decision: { checkErrorCode: 0, isCheckCacheHit: false, isQuotaCacheHit: true },
};

function httpEntry(common: object, fields: object = {}): object {
  return { ...HTTP_LOG_ENTRY, ...fields, commonProperties: { ...HTTP_LOG_ENTRY.commonProperties, ...common } };
}

const metadata = (check: CheckMetadata, namespace = 'envoy.filters.http.ext_authz'): object => ({
  metadata: { filterMetadata: { [namespace]: checkMetadataStruct(check) } },
});

async function send(rig: PolicyServerRig, logs: object, logName = 'inbound'): Promise<void> {
  await rig.server.openLogStream().take(logMessageBytes({ identifier: { node: NODE, logName }, ...logs }));
}

const sendHttp = (rig: PolicyServerRig, entries: readonly object[], logName?: string): Promise<void> =>
  send(rig, { httpLogs: { logEntry: entries } }, logName);

const lines = ({ log }: PolicyServerRig): readonly Record<string, unknown>[] =>
  log.filter(({ message }) => message === 'report').map(({ fields }) => fields['report'] as Record<string, unknown>);

const logged = () => createRig({ services: SERVICES, isReportLogged: () => true });

test('a report has the attributes of its Check, which the log lacks, and those of the response', async (t) => {
  const rig = logged();
  await sendHttp(rig, [httpEntry(metadata(CHECKED))]);
  const [line = {}] = lines(rig);
  t.like(line, {
    'api.operation': 'of the check',
    'destination.service.host': BOOKS,
    'destination.uid': 'of the filter',
    'context.reporter.kind': 'inbound',
    'request.method': 'GET',
    'request.path': '/ok?a=b',
    'request.time': '2026-11-21T14:37:44.398569Z',
    'request.total_size': 178,
    'response.code': 200,
    'response.size': 2,
    'response.duration': '0.043783561s',
    'check.error_code': 0,
    'check.cache_hit': false,
    'quota.cache_hit': true,
    'origin.ip': '127.0.0.1',
  });
  t.regex(String(line['request.api_key']), /^sha256:/);
});

test('a proxy cannot report for a service of another namespace', async (t) => {
  const rig = logged();
  const forged = text({ 'destination.service.namespace': 'shop' });
  const texts = { staticAttributes: forged, requestAttributes: forged, forwardedAttributes: forged };
  await sendHttp(rig, [httpEntry(metadata({ ...CHECKED, ...texts }))]);
  await sendHttp(rig, [httpEntry(metadata({ ...CHECKED, ...texts, service: 'made.up' }))]);
  t.is(lines(rig).length, 2);
  for (const line of lines(rig)) t.false('destination.service.namespace' in line);
});

test('the metadata in the answer to a Check is the source of its report', async (t) => {
  const rig = logged();
  const configText = httpConfigText({
    mixerAttributes: { attributes: { 'destination.uid': { stringValue: 'orchestrator://books-1.default' } } },
  });
  const headers = {
    'x-mesh-attributes': text({ 'source.uid': 'orchestrator://shop-1.default' }),
    'content-type': 'application/grpc',
  };
  const { dynamicMetadata } = await rig.ask(httpCheck({ path: '/ok?key=k9', headers }), { configText, service: BOOKS });
  const struct = { metadata: { filterMetadata: { 'envoy.filters.http.ext_authz': dynamicMetadata } } };
  await sendHttp(rig, [httpEntry(struct)]);
  const [line = {}] = lines(rig);
  t.like(line, {
    'api.operation': 'ok',
    'destination.uid': 'orchestrator://books-1.default',
    'source.uid': 'orchestrator://shop-1.default',
    'destination.service.host': BOOKS,
    'context.protocol': 'grpc',
    'check.error_code': 0,
  });
  t.regex(String(line['request.api_key']), /^sha256:/);
});

test("an operation's attributes win over what else the request says, in its report as in its Check", async (t) => {
  const attributes = { attributes: { 'request.api_key': { stringValue: 'of the operation' } } };
  const httpApiSpec = [{ patterns: [{ httpMethod: 'GET', uriTemplate: '/ok', attributes }], apiKeys: [] }];
  const rig = createRig({ services: { [BOOKS]: { httpApiSpec } }, isReportLogged: () => true });
  const { dynamicMetadata } = await rig.ask(httpCheck({ path: '/ok?key=k9' }), { service: BOOKS });
  t.is(rig.transport.checks[0]?.attributes.get('request.api_key')?.value, 'of the operation');
  const direct = { metadata: { filterMetadata: { 'envoy.filters.http.ext_authz': dynamicMetadata } } };
  await sendHttp(rig, [httpEntry(direct), httpEntry({ upstreamCluster: `inbound|80|http|${BOOKS}` })]);
  t.is(lines(rig)[0]?.['request.api_key'], lines(rig)[1]?.['request.api_key']);
});

test('a request without a Check is reported by its cluster, its proxy and its forwarded attributes', async (t) => {
  const rig = logged();
  const forwarded = {
    forwarded: { stringValue: text({ 'source.uid': 'caller', 'destination.uid': 'not theirs to say' }) },
  };
  const common = {
    upstreamCluster: `inbound|8080|http|${BOOKS}`,
    metadata: { filterMetadata: { 'mesh.policy': { fields: forwarded } } },
  };
  await sendHttp(rig, [httpEntry(common)]);
  const [line = {}] = lines(rig);
  t.like(line, {
    'api.operation': 'ok',
    'source.uid': 'caller',
    'destination.uid': 'orchestrator://books-1.default',
    'destination.service.host': BOOKS,
    'context.reporter.kind': 'inbound',
  });
  t.false('check.error_code' in line);
});

test('a gateway ignores forwarded attributes', async (t) => {
  const rig = logged();
  const fields = { forwarded: { stringValue: text({ 'source.uid': 'caller' }) } };
  const entry = httpEntry({ metadata: { filterMetadata: { 'mesh.policy': { fields } } } });
  const identifier = { node: { id: NODE.id.replace('sidecar', 'router') }, logName: 'outbound' };
  await rig.server.openLogStream().take(logMessageBytes({ identifier, httpLogs: { logEntry: [entry] } }));
  t.is(lines(rig)[0]?.['source.uid'], 'orchestrator://books-1.default');
});

test('requests are counted by reporter, service, operation and response code', async (t) => {
  const rig = createRig({ services: SERVICES });
  const denied = { response: { responseCode: { value: 429 } } };
  await sendHttp(rig, [
    httpEntry(metadata(CHECKED)),
    httpEntry(metadata(CHECKED)),
    httpEntry(metadata(CHECKED), denied),
    httpEntry({ upstreamCluster: 'PassthroughCluster' }),
  ]);
  const scrape = await rig.scrape();
  const series = (service: string, operation: string, code: number) =>
    `policy_server_requests_total{reporter="inbound",service="${service}",operation="${operation}",response_code="${code}"}`;
  t.true(scrape.includes(`${series(BOOKS, 'of the check', 200)} 2\n`));
  t.true(scrape.includes(`${series(BOOKS, 'of the check', 429)} 1\n`));
  t.true(scrape.includes(`${series('unknown', 'unknown', 200)} 1\n`));
  t.true(scrape.includes(`policy_server_response_bytes_total{reporter="inbound",service="${BOOKS}"} 4\n`));
  t.true(scrape.includes(`policy_server_request_duration_seconds_count{reporter="inbound",service="${BOOKS}"} 3\n`));
  t.is(lines(rig).length, 0);
});

test('a host without a service is never a label', async (t) => {
  const rig = createRig({ services: SERVICES });
  const forwardedAttributes = text({ 'destination.service.host': 'made.up' });
  await sendHttp(rig, [
    httpEntry({ upstreamCluster: 'outbound|80||made.up' }),
    httpEntry(metadata({ ...CHECKED, service: 'made.up', forwardedAttributes })),
  ]);
  const scrape = await rig.scrape();
  t.false(scrape.includes('made.up'));
  t.true(scrape.includes('service="unknown"'));
});

test('operations beyond 2,000 are counted together', async (t) => {
  const rig = createRig({ services: SERVICES });
  for (let batch = 0; batch < 6; batch++) {
    const entries = Array.from({ length: 500 }, (_, index) => {
      const requestAttributes = text({ 'api.operation': `operation-${batch * 500 + index}` });
      return httpEntry(metadata({ ...CHECKED, requestAttributes }));
    });
    await sendHttp(rig, entries);
  }
  const scrape = await rig.scrape();
  t.is(scrape.match(/policy_server_requests_total\{/g)?.length, 2001);
  t.true(scrape.includes('operation="other",response_code="200"} 1000\n'));
});

const tcpEntry = (entry: { readonly commonProperties: object }, check?: CheckMetadata): object => ({
  ...entry,
  commonProperties: {
    ...entry.commonProperties,
    ...(check && metadata(check, 'envoy.filters.network.ext_authz')),
  },
});

const TCP_CHECKED: CheckMetadata = {
  service: ECHO,
  staticAttributes: text({ 'context.reporter.kind': 'inbound' }),
  decision: { checkErrorCode: 0, isCheckCacheHit: false, isQuotaCacheHit: false },
};

test('a connection is reported as opened, as continuing with its new bytes, and as closed', async (t) => {
  const rig = logged();
  const stream = rig.server.openLogStream();
  const take = (logEntry: readonly object[], rest: object = {}) =>
    stream.take(logMessageBytes({ ...rest, tcpLogs: { logEntry } }));
  await take([tcpEntry(TCP_CONNECTED_ENTRY)], { identifier: { node: NODE, logName: 'inbound' } });
  t.is(lines(rig).length, 0);
  await take([tcpEntry(TCP_PERIODIC_ENTRY, TCP_CHECKED)]);
  await take([tcpEntry(TCP_END_ENTRY, TCP_CHECKED)]);
  const told = lines(rig).map((line) => [
    line['connection.event'],
    line['connection.received.bytes'],
    line['connection.sent.bytes'],
    line['connection.received.bytes_total'],
    line['connection.duration'],
  ]);
  t.deepEqual(told, [
    ['open', 0, 0, 0, undefined],
    ['continue', 5, 5, 5, undefined],
    ['close', 2, 7, 7, '2.506683835s'],
  ]);
  t.like(lines(rig)[0] ?? {}, {
    'connection.id': 'f42f5233-5749-4924-a540-12fd4dc01cf4',
    'context.protocol': 'tcp',
    'destination.service.host': ECHO,
    'source.ip': '127.0.0.1',
    'check.error_code': 0,
  });
  const scrape = await rig.scrape();
  const labels = `{reporter="inbound",service="${ECHO}"`;
  for (const event of ['open', 'continue', 'close']) {
    t.true(scrape.includes(`policy_server_connection_events_total${labels},event="${event}"} 1\n`));
  }
  t.true(scrape.includes(`policy_server_connection_received_bytes_total${labels}} 7\n`));
  t.true(scrape.includes(`policy_server_connection_sent_bytes_total${labels}} 12\n`));
});

test('a connection goes on in another stream of its proxy where it was', async (t) => {
  const rig = logged();
  await send(rig, { tcpLogs: { logEntry: [tcpEntry(TCP_PERIODIC_ENTRY, TCP_CHECKED)] } });
  await send(rig, { tcpLogs: { logEntry: [tcpEntry(TCP_END_ENTRY, TCP_CHECKED)] } });
  t.deepEqual(
    lines(rig).map((line) => line['connection.received.bytes']),
    [0, 5, 2],
  );
});

test('the earlier bytes of a connection that is older than its log are not reported again', async (t) => {
  const rig = logged();
  const began = (entry: { readonly commonProperties: object }, seconds: number) =>
    tcpEntry({ ...entry, commonProperties: { ...entry.commonProperties, startTime: { seconds } } }, TCP_CHECKED);
  const now = Math.floor(rig.clock.now().getTime() / 1000);
  await send(rig, { tcpLogs: { logEntry: [began(TCP_PERIODIC_ENTRY, now - 3600), began(TCP_END_ENTRY, now - 3600)] } });
  const told = () => lines(rig).map((line) => [line['connection.event'], line['connection.received.bytes']]);
  t.deepEqual(told(), [
    ['continue', 0],
    ['close', 2],
  ]);
  // A log begins when there is something to send: a connection of just before is one of its own.
  await send(rig, { tcpLogs: { logEntry: [began(TCP_END_ENTRY, now - 2)] } });
  t.deepEqual(told().slice(2), [
    ['open', 0],
    ['close', 7],
  ]);
});

test('a denied connection is not reported', async (t) => {
  const rig = logged();
  const refused = { ...TCP_CHECKED, decision: { checkErrorCode: 8, checkErrorMessage: 'no more' } };
  await send(rig, { tcpLogs: { logEntry: [tcpEntry(TCP_CONNECTED_ENTRY), tcpEntry(TCP_DENIED_END_ENTRY, refused)] } });
  t.is(lines(rig).length, 0);
  t.false((await rig.scrape()).includes('policy_server_connection_events_total'));
});

test('services and configurations with disabled reports are not reported', async (t) => {
  const rig = createRig({
    services: { ...SERVICES, [BOOKS]: { ...SERVICES[BOOKS], disableReportCalls: true } },
    isReportLogged: () => true,
  });
  await sendHttp(rig, [httpEntry(metadata(CHECKED))]);
  await send(rig, { tcpLogs: { logEntry: [tcpEntry(TCP_END_ENTRY, { ...TCP_CHECKED, disableReports: true })] } });
  t.is(lines(rig).length, 0);
});

test('an entry that cannot be reported costs no other entry', async (t) => {
  const rig = createRig({ services: SERVICES, isReportLogged: () => true });
  const { find } = { find: SERVICES };
  rig.server.observe({
    find: (host) => {
      if (host === ECHO) throw new Error('a bug');
      return find[host] as ServiceConfig | undefined;
    },
  });
  const broken = httpEntry({ upstreamCluster: `inbound|80|http|${ECHO}` });
  await sendHttp(rig, [broken, httpEntry({}), broken, httpEntry({})]);
  t.is(lines(rig).length, 2);
  t.is(
    await rig.series('policy_server_report_failures_total{reason="internal"}'),
    'policy_server_report_failures_total{reason="internal"} 2',
  );
  t.is(rig.log.filter(({ level }) => level === 'error').length, 1);
});

test('a message that cannot be read is counted, and the stream goes on', async (t) => {
  const rig = logged();
  const stream = rig.server.openLogStream();
  await stream.take(Buffer.from('ffff', 'hex'));
  await stream.take(logMessageBytes({ httpLogs: { logEntry: [HTTP_LOG_ENTRY] } }));
  t.is(lines(rig).length, 1);
  t.is(
    await rig.series('policy_server_report_failures_total{reason="message"}'),
    'policy_server_report_failures_total{reason="message"} 1',
  );
});

test('a burst of entries lets other work go on in between', async (t) => {
  let turns = 0;
  const rig = createRig({
    yieldTurn: async () => {
      turns++;
    },
  });
  await sendHttp(
    rig,
    Array.from({ length: 320 }, () => HTTP_LOG_ENTRY),
  );
  // One more for the specs of the service, which are compiled first.
  t.is(turns, 11);
});

test('reports go on to a remote server in batches, and not to handlers in this process', async (t) => {
  for (const isLocal of [true, false]) {
    const rig = createRig({ services: SERVICES, isLocal });
    await sendHttp(
      rig,
      Array.from({ length: 150 }, () => httpEntry(metadata(CHECKED))),
    );
    t.deepEqual(
      rig.transport.reports.map(({ attributes }) => attributes.length),
      isLocal ? [] : [100],
    );
    rig.clock.advance(1000);
    t.deepEqual(
      rig.transport.reports.map(({ attributes }) => attributes.length),
      isLocal ? [] : [100, 50],
    );
    if (!isLocal) t.is(rig.transport.reports[0]?.attributes[0]?.get('response.code')?.value, 200n);
    await rig.handlers.close();
  }
});

test('reports that a remote server does not take are counted as lost', async (t) => {
  const rig = createRig({ services: SERVICES, isLocal: false });
  rig.transport.answerReport = () => Promise.reject(new Error('down'));
  await sendHttp(
    rig,
    Array.from({ length: 100 }, () => httpEntry(metadata(CHECKED))),
  );
  await settled();
  t.is(
    await rig.series('policy_server_report_failures_total{reason="backend"}'),
    'policy_server_report_failures_total{reason="backend"} 100',
  );
});

test('report calls to a server without answers are bounded: further reports are lost at once', async (t) => {
  const rig = createRig({ services: SERVICES, isLocal: false });
  rig.transport.answerReport = () => new Promise(() => undefined);
  for (let batch = 0; batch < 70; batch++) {
    await sendHttp(
      rig,
      Array.from({ length: 100 }, () => httpEntry(metadata(CHECKED))),
    );
  }
  await settled();
  t.is(rig.transport.reports.length, 64);
  t.is(
    await rig.series('policy_server_report_failures_total{reason="backend"}'),
    'policy_server_report_failures_total{reason="backend"} 600',
  );
  rig.clock.advance(5000);
  await settled();
  await sendHttp(
    rig,
    Array.from({ length: 100 }, () => httpEntry(metadata(CHECKED))),
  );
  t.is(rig.transport.reports.length, 65);
});

test('closing the server sends the reports that wait', async (t) => {
  const rig = createRig({ services: SERVICES, isLocal: false });
  await sendHttp(rig, [httpEntry(metadata(CHECKED))]);
  t.is(rig.transport.reports.length, 0);
  await rig.handlers.close();
  t.is(rig.transport.reports.length, 1);
  t.is(rig.clock.timers, 0);
});
