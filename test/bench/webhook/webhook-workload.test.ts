import test from 'ava';
import { buildWebhookWorkload } from '../../../bench/webhook/webhook-workload.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { decodeReview } from '../../../src/webhooks/admission/decode-review.js';
import { judgeRequest } from '../../../src/webhooks/validation/judge-request.js';
import { contextOf } from '../../model/mesh-objects.js';
import { ENFORCEMENT } from '../../status/analysis/support.js';
import { kinds } from '../../webhooks/fixtures/ask.js';

const { mesh, reviews } = buildWebhookWorkload({ rules: 30, services: 25 });
const judged = reviews.map((review) => {
  const decoded = decodeReview(Buffer.from(review));
  return decoded.type === 'review' ? judgeRequest(decoded.request, kinds) : undefined;
});

test('every review is a valid update of a QuotaSpec, each with other content', (t) => {
  const specs = judged.map((verdict) => verdict?.type === 'passed' && JSON.stringify(verdict.object?.body));
  t.false(specs.includes(false));
  t.is(new Set(specs).size, reviews.length);
});

test('every object of the mesh is read', (t) => {
  for (const raw of mesh) t.is(kinds.read(raw, { defaultNamespace: '' }).type, 'object');
});

test('each QuotaSpec is compared with the one bound to all services, and no rules overlap', (t) => {
  const objects = mesh.flatMap((raw) => {
    const result = kinds.read(raw, { defaultNamespace: '' });
    return result.type === 'object' ? result.object : [];
  });
  const analyze = createCandidateAnalysis(contextOf(objects));
  const [first] = judged;
  const candidate = first?.type === 'passed' ? first.object : undefined;
  if (candidate === undefined) return t.fail();
  t.false(analyze(candidate, ENFORCEMENT).some(({ code }) => code === 'MESH0203'));
  const everywhere = objects.find(({ metadata }) => metadata.name === 'everywhere');
  const same = { ...candidate, body: everywhere?.body };
  t.true(analyze(same, ENFORCEMENT).some(({ code }) => code === 'MESH0203'));
});
