import { encode } from 'dns-packet';
import fc from 'fast-check';
import { createMessageReader } from '../../../src/dns/framing.js';
import { answerFromMesh } from '../../../src/dns/mesh/answers.js';
import { readQuery } from '../../../src/dns/query.js';
import { emptyAnswer, encodeAnswer, maxBytesOf, refusal } from '../../../src/dns/response.js';
import { passOn, readUpstreamResponse } from '../../../src/dns/upstream-response.js';
import { contextOf, endpoints, service } from '../../model/mesh-objects.js';
import { mutated } from '../../support/arbitrary-octets.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const HOST = 'db.default.svc.cluster.local';
const context = contextOf([
  service('default/db', { clusterIP: 'None' }),
  endpoints('default/db', ['10.0.0.1', '10.0.0.2']),
]);
const UNKNOWN = { namespace: '', cluster: undefined };
const OPT = { type: 'OPT', name: '.', udpPayloadSize: 1232, ednsVersion: 0, flags: 0, options: [] } as never;
const queries = ['A', 'AAAA', 'SRV', 'TXT'].map((type) =>
  encode({ type: 'query', id: 7, flags: 0x100, questions: [{ type: type as 'A', name: HOST }], additionals: [OPT] }),
);
const response = encode({
  type: 'response',
  id: 7,
  flags: 0x180,
  questions: [{ type: 'A', name: HOST }],
  answers: [
    { type: 'CNAME', name: HOST, ttl: 5, data: 'x.example.org' },
    { type: 'A', name: 'x.example.org', ttl: 60, data: '192.0.2.1' },
  ],
  authorities: [{ type: 'SOA', name: 'example.org', ttl: 9, data: { mname: 'a.b', rname: 'c.d', minimum: 3 } }],
  additionals: [OPT],
});
const anyQuery = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...queries).chain((bytes) => mutated(bytes)) },
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

export const dnsTargets: readonly FuzzTarget[] = [
  fuzzTarget('dns-query', {
    inputs: anyQuery,
    run: (input) => {
      const bytes = Buffer.from(input);
      const read = readQuery(bytes);
      if (read.type === 'refused') return void refusal(bytes, read.rcode);
      if (read.type === 'ignored') return;
      const { query } = read;
      const answer = answerFromMesh(context, UNKNOWN, query.name.text, query.type, () => 0) ?? emptyAnswer(5);
      const sent = encodeAnswer(query, answer, 'udp');
      if (sent.length > maxBytesOf(query, 'udp')) throw new Error(`an answer over UDP has ${sent.length} bytes`);
    },
  }),
  fuzzTarget('dns-response', {
    inputs: mutated(response),
    run: (input) => {
      const [bytes, asked] = [Buffer.from(input), queries[0] as Buffer];
      const read = readQuery(asked);
      if (read.type !== 'query') throw new Error('the query cannot be read');
      const upstream = readUpstreamResponse(bytes, 7, read.query.question);
      if (upstream !== undefined) passOn(upstream, read.query, 1, 'udp');
    },
  }),
  fuzzTarget('dns-stream', {
    inputs: fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 }),
    run: (chunks) => {
      const reader = createMessageReader(512);
      for (const chunk of chunks) if (reader.read(Buffer.from(chunk)) === undefined) return;
    },
  }),
];
