import test from 'ava';
import type { FilterChainMatch } from '../../../../src/generated/envoy/config/listener/v3/FilterChainMatch.js';
import {
  type InboundKind,
  type InboundTraffic,
  inboundKinds,
} from '../../../../src/generators/listeners/inbound/inbound-kinds.js';
import type { MutualTlsMode } from '../../../../src/model/security/mutual-tls.js';
import fc from '../../../support/property-testing.js';

/** First bytes of a connection, as listener filters see them. */
interface Arrival {
  readonly transport: 'tls' | 'raw_buffer';
  /** Protocols of a TLS client, in its order; for plaintext the protocol that the http_inspector found. */
  readonly protocols: readonly string[];
}

const MESH_HTTP: Arrival = { transport: 'tls', protocols: ['mesh-http', 'mesh'] };
const MESH_TCP: Arrival = { transport: 'tls', protocols: ['mesh'] };
const OWN_TLS: Arrival = { transport: 'tls', protocols: ['h2', 'http/1.1'] };
const OWN_TLS_BARE: Arrival = { transport: 'tls', protocols: [] };
const PLAIN_HTTP: Arrival = { transport: 'raw_buffer', protocols: ['http/1.1'] };
const PLAIN: Arrival = { transport: 'raw_buffer', protocols: [] };

/** How Envoy picks among the chains of one port: transport protocol first, then application protocol, no way back. */
function pick(kinds: readonly InboundKind[], { transport, protocols }: Arrival): InboundKind | undefined {
  const of = (wanted: string | undefined) => kinds.filter(({ match }) => match.transportProtocol === wanted);
  const candidates = of(transport).length > 0 ? of(transport) : of(undefined);
  const applicationProtocols = ({ match }: { readonly match: FilterChainMatch }) => match.applicationProtocols ?? [];
  for (const protocol of protocols) {
    const found = candidates.find((kind) => applicationProtocols(kind).includes(protocol));
    if (found !== undefined) return found;
  }
  return candidates.find((kind) => applicationProtocols(kind).length === 0);
}

const labelOf = (traffic: InboundTraffic, mode: MutualTlsMode, arrival: Arrival) =>
  pick(inboundKinds(traffic, mode, false), arrival)?.label ?? 'closed';

type Row = readonly [InboundTraffic, MutualTlsMode, ...(InboundKind['label'] | 'closed')[]];

/** The kinds for mesh HTTP, mesh TCP, own TLS with and without ALPN, plaintext HTTP, other plaintext. */
const TABLE: readonly Row[] = [
  ['http', 'DISABLE', 'http', 'http', 'http', 'http', 'http', 'http'],
  ['http', 'PERMISSIVE', 'mtls-http', 'mtls-http', 'closed', 'closed', 'http', 'http'],
  ['http', 'STRICT', 'mtls-http', 'mtls-http', 'mtls-http', 'mtls-http', 'closed', 'closed'],
  ['tcp', 'DISABLE', 'tcp', 'tcp', 'tcp', 'tcp', 'tcp', 'tcp'],
  ['tcp', 'PERMISSIVE', 'mtls-tcp', 'mtls-tcp', 'tls', 'tls', 'tcp', 'tcp'],
  ['tls', 'PERMISSIVE', 'mtls-tcp', 'mtls-tcp', 'tls', 'tls', 'tcp', 'tcp'],
  ['tcp', 'STRICT', 'mtls-tcp', 'mtls-tcp', 'mtls-tcp', 'mtls-tcp', 'closed', 'closed'],
  ['sniffed', 'PERMISSIVE', 'mtls-http', 'mtls-tcp', 'tls', 'tls', 'http', 'tcp'],
  ['sniffed', 'STRICT', 'mtls-http', 'mtls-tcp', 'mtls-http', 'mtls-tcp', 'closed', 'closed'],
];

for (const [traffic, mode, ...expected] of TABLE) {
  test(`${traffic} in mode ${mode}: mesh HTTP, mesh TCP, own TLS, own TLS without ALPN, HTTP, bytes are ${expected.join(', ')}`, (t) => {
    const arrivals = [MESH_HTTP, MESH_TCP, OWN_TLS, OWN_TLS_BARE, PLAIN_HTTP, PLAIN];
    t.deepEqual(
      arrivals.map((arrival) => labelOf(traffic, mode, arrival)),
      expected,
    );
  });
}

test('a sniffed port without mutual TLS is as it was before there was any', (t) => {
  t.deepEqual(
    inboundKinds('sniffed', 'DISABLE', true).map(({ match }) => match),
    [
      { transportProtocol: 'raw_buffer', applicationProtocols: ['http/1.0', 'http/1.1', 'h2c'] },
      { transportProtocol: 'raw_buffer' },
    ],
  );
});

const anything = fc.record({
  transport: fc.constantFrom<'tls' | 'raw_buffer'>('tls', 'raw_buffer'),
  protocols: fc.array(fc.constantFrom('mesh', 'mesh-http', 'h2', 'http/1.1', 'http/1.0', 'h2c', 'x'), { maxLength: 4 }),
});
const traffics = fc.constantFrom<InboundTraffic>('http', 'sniffed', 'tls', 'tcp');

test('STRICT serves nothing but mutual TLS, whatever arrives', (t) => {
  fc.assert(
    fc.property(traffics, anything, fc.boolean(), (traffic, arrival, http10) => {
      const kinds = inboundKinds(traffic, 'STRICT', http10);
      const picked = pick(kinds, arrival);
      return kinds.every(({ isMutualTls }) => isMutualTls) && (picked !== undefined) === (arrival.transport === 'tls');
    }),
  );
  t.pass();
});

test('PERMISSIVE ends TLS only where the client is of the mesh, and then always', (t) => {
  fc.assert(
    fc.property(traffics, anything, fc.boolean(), (traffic, arrival, http10) => {
      const isOfMesh = arrival.transport === 'tls' && arrival.protocols.some((each) => each.startsWith('mesh'));
      return (pick(inboundKinds(traffic, 'PERMISSIVE', http10), arrival)?.isMutualTls ?? false) === isOfMesh;
    }),
  );
  t.pass();
});

test('no two chains of a port match the same, which Envoy would refuse', (t) => {
  const modes: readonly MutualTlsMode[] = ['DISABLE', 'PERMISSIVE', 'STRICT'];
  for (const mode of modes) {
    for (const traffic of ['http', 'sniffed', 'tls', 'tcp'] as const) {
      const kinds = inboundKinds(traffic, mode, true);
      const matches = kinds.flatMap(({ match }) =>
        (match.applicationProtocols ?? ['']).map((protocol) => `${match.transportProtocol} ${protocol}`),
      );
      t.is(new Set(matches).size, matches.length, `${mode} ${traffic}`);
      t.is(new Set(kinds.map(({ label }) => label)).size, kinds.length);
    }
  }
});
