import test from 'ava';
import {
  type CheckMetadata,
  checkMetadataStruct,
  readCheckMetadata,
} from '../../../../src/policy/server/adapter/check-metadata.js';

const FULL: CheckMetadata = {
  service: 'books.default.svc.cluster.local',
  staticAttributes: 'c3RhdGlj',
  forwardedAttributes: 'Zm9yd2FyZA==',
  requestAttributes: 'YQ==,Yg==',
  disableReports: true,
  decision: {
    checkErrorCode: 8,
    checkErrorMessage: 'Quota is exhausted for: q',
    isCheckCacheHit: true,
    isQuotaCacheHit: false,
  },
};

for (const namespace of ['envoy.filters.http.ext_authz', 'envoy.filters.network.ext_authz']) {
  test(`what a Check leaves is read again from the log's metadata of ${namespace}`, (t) => {
    const struct = checkMetadataStruct(FULL);
    t.deepEqual(readCheckMetadata({ filterMetadata: { [namespace]: struct } }), FULL);
  });
}

test('unknown values are left out of the metadata', (t) => {
  const struct = checkMetadataStruct({ staticAttributes: '', decision: { checkErrorCode: 0, checkErrorMessage: '' } });
  t.deepEqual(struct, { fields: { check_error_code: { numberValue: 0 } } });
});

test('the duration that Envoy writes for an unanswered Check is not an answer', (t) => {
  const struct = { fields: { ext_authz_duration: { numberValue: 42 } } };
  t.is(readCheckMetadata({ filterMetadata: { 'envoy.filters.http.ext_authz': struct } }), undefined);
  t.is(readCheckMetadata({}), undefined);
  t.is(readCheckMetadata(undefined), undefined);
});

test('members of other types than ours count as missing', (t) => {
  const struct = {
    fields: {
      check_error_code: { numberValue: 7 },
      service: { numberValue: 1 },
      check_cache_hit: { stringValue: 'true' },
    },
  };
  const metadata = readCheckMetadata({ filterMetadata: { 'envoy.filters.http.ext_authz': struct } });
  t.is(metadata?.service, undefined);
  t.deepEqual(metadata?.decision, { checkErrorCode: 7 });
});
