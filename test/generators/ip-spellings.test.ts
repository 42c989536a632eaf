import test from 'ava';
import { isIpAddress } from '../../src/base/ip-address.js';
import { frameResource } from '../../src/envoy/message-encoder.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { isServable } from '../../src/model/registry/endpoint-collector.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { validateWithEnvoy } from './envoy-verdict.js';
import { ENCODER } from './served-resources.js';

const ADDRESSES = ['10.0.0.1', '255.255.255.255', 'fd00::1', '::ffff:10.0.0.1', '1:2:3:4:5:6:7:8', 'FD00::A'];
const NAMES = ['10.0.0.0x1', '0xa.0.0.1', '10.1', '167772161', '010.0.0.1', '10.0.0.256', '::1.2.3.0x4'];

const envoy = findEnvoy();
if ('missing' in envoy && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(envoy.missing);
const testWithEnvoy = 'value' in envoy ? test : test.skip;

/** A cluster whose endpoints are IP addresses, as far as we know. */
const clusterAt = (address: string, index: number) =>
  frameResource(
    TypeUrl.cluster,
    `at-${index}`,
    ENCODER.encode(TypeUrl.cluster, {
      name: `at-${index}`,
      type: 'STATIC',
      loadAssignment: {
        clusterName: `at-${index}`,
        endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress: { address, portValue: 80 } } } }] }],
      },
    }),
  );
const verdictOf = (addresses: readonly string[]): Promise<void> =>
  validateWithEnvoy('value' in envoy ? envoy.value : '', ENCODER, {
    clusters: addresses.map(clusterAt),
    listeners: [],
    routes: [],
  });

for (const address of [...ADDRESSES, ...NAMES]) {
  test(`validation and the registry agree whether ${address} is an IP address`, (t) => {
    t.is(isIpAddress(address), ADDRESSES.includes(address));
    t.is(isServable(address, 'endpoints'), ADDRESSES.includes(address));
  });
}

testWithEnvoy('Envoy takes every spelling that counts as an IP address', async (t) => {
  await t.notThrowsAsync(verdictOf(ADDRESSES));
});

for (const address of NAMES) {
  testWithEnvoy(`Envoy refuses ${address} as an IP address`, async (t) => {
    await t.throwsAsync(verdictOf([address]), { message: /malformed IP address/ });
  });
}
