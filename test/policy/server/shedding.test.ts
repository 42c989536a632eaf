import test from 'ava';
import type { TransportConfig } from '../../../src/config/policy/transport-config.js';
import type { OverloadSettings } from '../../../src/policy/server/admission.js';
import { CallConfigError } from '../../../src/policy/server/call-configs.js';
import { EnvoyMessageError } from '../../../src/policy/server/envoy-codec.js';
import { allow } from '../../support/policy-server.js';
import { checkRequestBytes, createRig, httpCheck, httpConfigText, tcpConfigText } from './policy-server-rig.js';

const BOOKS = 'books.default.svc.cluster.local';
const QUOTA = { quotaSpec: [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }] };
const FAIL_CLOSE = { policy: 'FAIL_CLOSE', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' } as const;
/** The way of calling of a proxy that fails closed. */
const CLOSED: TransportConfig = {
  disableCheckCache: false,
  disableQuotaCache: false,
  disableReportBatch: false,
  networkFailPolicy: FAIL_CLOSE,
  statsUpdateInterval: '10s',
  checkCluster: 'policy_server',
  reportCluster: 'policy_server',
  reportBatchMaxEntries: 0,
  reportBatchMaxTime: '0s',
};

/** A server whose event loop had no pause for so long that it sheds six of ten checks, and every one of the next. */
async function overloaded(
  options: { readonly services?: Parameters<typeof createRig>[0] } & Partial<OverloadSettings>,
) {
  const { services = {}, ...changes } = options;
  const settings = { shed: true, shedAfterMs: 500, maxPendingChecks: 10_000, ...changes };
  let random = 0.99;
  const rig = createRig({
    ...services,
    overload: () => settings,
    readLoad: () => ({ use: 1, cpuMs: 100 }),
    random: () => random,
  });
  for (let window = 0; window < 12; window++) {
    for (let check = 0; check < 60; check++) await rig.ask(httpCheck());
    rig.clock.advance(100);
  }
  random = 0;
  const { length: before } = rig.transport.checks;
  return { ...rig, charged: () => rig.transport.checks.length - before };
}

test('a shed check passes under FAIL_OPEN without a charge, and is marked for its report', async (t) => {
  const rig = await overloaded({ services: { services: { [BOOKS]: QUOTA } } });
  const { status, okResponse, dynamicMetadata } = await rig.ask(httpCheck(), { service: BOOKS });
  t.is(status.code, 0);
  t.deepEqual(okResponse?.headersToRemove, ['x-mesh-attributes', 'x-mesh-charge-receipt']);
  t.like(dynamicMetadata.fields, {
    service: { stringValue: BOOKS },
    overloaded: { boolValue: true },
    check_error_code: { numberValue: 0 },
  });
  t.is(rig.charged(), 0);
  t.is(
    await rig.series('policy_server_shed_checks_total{protocol="http",answer="allowed"}'),
    'policy_server_shed_checks_total{protocol="http",answer="allowed"} 1',
  );
  t.truthy(
    await rig.series('policy_server_fail_policy_answers_total{protocol="http",reason="overloaded",answer="allowed"}'),
  );
  t.regex((await rig.series('policy_server_shed_share')) ?? '', /^policy_server_shed_share 0\.6/);
  t.true(rig.log.some(({ message, fields }) => /shed/.test(message) && fields['setting'] === 'overload.shedAfter'));
});

test('a check that is shed is refused by FAIL_CLOSE of its proxy with 503, a header and a text that say why', async (t) => {
  const rig = await overloaded({});
  const configText = httpConfigText({ transport: CLOSED });
  const { status, deniedResponse } = await rig.ask(httpCheck(), { configText });
  t.is(status.code, 14);
  t.true(['ServiceUnavailable', 503].includes(deniedResponse?.status.code ?? 0));
  t.regex(deniedResponse?.body ?? '', /overloaded/);
  const headers = new Map(deniedResponse?.headers.map(({ header: { key, value } }) => [key, value]));
  t.is(headers.get('x-mesh-policy-overloaded'), 'true');
  t.is(headers.get('retry-after'), '1');
  t.is(rig.charged(), 0);
});

test('the fail policy of the service goes before that of the proxy', async (t) => {
  const rig = await overloaded({
    services: { services: { [BOOKS]: { networkFailPolicy: FAIL_CLOSE } } },
  });
  const extension = { contextExtensions: { 'destination.service.host': BOOKS } };
  t.is((await rig.ask(httpCheck({}, extension))).status.code, 14);
  t.is((await rig.ask(httpCheck(), { service: BOOKS })).status.code, 14);
  t.is((await rig.ask(httpCheck(), { service: 'other' })).status.code, 0);
});

test('a connection that is shed is refused or allowed by its own configuration', async (t) => {
  const rig = await overloaded({});
  t.is((await rig.ask({ attributes: {} }, { configText: tcpConfigText({ transport: CLOSED }) })).status.code, 14);
  t.is((await rig.ask({ attributes: {} })).status.code, 0);
  t.truthy(await rig.series('policy_server_shed_checks_total{protocol="tcp",answer="refused"}'));
});

test('a proxy without check calls is never refused', async (t) => {
  const rig = await overloaded({});
  const configText = tcpConfigText({ transport: CLOSED, disableCheckCalls: true });
  t.is((await rig.ask({ attributes: {} }, { configText })).status.code, 0);
});

test('an unreadable shed check is an error like any other', async (t) => {
  const rig = await overloaded({});
  await t.throwsAsync(rig.server.checks.check(Buffer.from('0aff', 'hex'), {}), { instanceOf: EnvoyMessageError });
  await t.throwsAsync(rig.server.checks.check(checkRequestBytes(httpCheck()), { configText: '%' }), {
    instanceOf: CallConfigError,
  });
});

test('with shed: false every check is decided', async (t) => {
  const rig = await overloaded({ shed: false });
  await rig.ask(httpCheck());
  t.is(rig.charged(), 1);
});

test('checks above the limit of waiting checks are shed until others have ended', async (t) => {
  const rig = createRig({ overload: () => ({ shed: true, shedAfterMs: 500, maxPendingChecks: 2 }) });
  const ends: (() => void)[] = [];
  rig.transport.answer = () =>
    new Promise((resolve) => ends.push(() => resolve({ precondition: allow(), quotas: new Map() })));
  const waiting = [rig.ask(httpCheck()), rig.ask(httpCheck())];
  t.true((await rig.ask(httpCheck())).dynamicMetadata.fields['overloaded'] !== undefined);
  for (const end of ends) end();
  await Promise.all(waiting);
  const next = rig.ask(httpCheck());
  ends.at(-1)?.();
  t.is((await next).dynamicMetadata.fields['overloaded'], undefined);
});
