import test from 'ava';
import { isTcpCheck } from '../../../../src/policy/server/adapter/check-facts.js';
import { readCheckOutline } from '../../../../src/policy/server/adapter/check-outline.js';
import { createEnvoyCodec } from '../../../../src/policy/server/envoy-codec.js';
import fc from '../../../support/property-testing.js';
import { checkRequestBytes, envoyProtos } from '../policy-server-rig.js';
import { HTTP_CHECK, TCP_CHECK } from './envoy-recordings.js';

const codec = createEnvoyCodec(envoyProtos);

test('the outline of recorded Checks has their protocol and service', (t) => {
  t.deepEqual(readCheckOutline(checkRequestBytes(HTTP_CHECK), 'service'), { isTcp: false, extension: 'web' });
  t.deepEqual(readCheckOutline(checkRequestBytes(HTTP_CHECK), 'other'), { isTcp: false, extension: undefined });
  t.deepEqual(readCheckOutline(checkRequestBytes(TCP_CHECK), 'service'), { isTcp: true, extension: undefined });
  t.deepEqual(readCheckOutline(Buffer.alloc(0), 'service'), { isTcp: true, extension: undefined });
});

test('the outline of any message agrees with its decoded form', (t) => {
  const texts = fc.dictionary(fc.constantFrom('service', 'a', ''), fc.string());
  const messages = fc.record({
    source: fc.record({ principal: fc.string() }),
    contextExtensions: texts,
    request: fc.option(fc.record({ http: fc.option(fc.record({ headers: texts }), { nil: undefined }) }), {
      nil: undefined,
    }),
  });
  fc.assert(
    fc.property(messages, (attributes) => {
      const bytes = checkRequestBytes({ attributes });
      const decoded = codec.decodeCheckRequest(bytes);
      t.deepEqual(readCheckOutline(bytes, 'service'), {
        isTcp: isTcpCheck(decoded),
        extension: decoded.attributes?.contextExtensions?.['service'],
      });
    }),
  );
});

test('invalid bytes are read or refused in a short time', (t) => {
  const valid = checkRequestBytes(HTTP_CHECK);
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(changes, (made) => {
      const bytes = Buffer.from(valid);
      for (const [at, byte] of made) bytes[at % bytes.length] = byte;
      try {
        t.is(typeof readCheckOutline(bytes, 'service').isTcp, 'boolean');
      } catch (error) {
        t.true(error instanceof Error);
      }
    }),
  );
});
