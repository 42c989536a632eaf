import test from 'ava';
import { InputError } from '../../src/analyze/input-error.js';
import { analyzeTexts, shownFinding } from './support.js';

const QUOTAS = `apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpec
metadata: {name: books, namespace: shop}
spec:
  rules:
    - quotas:
        - quota: requests
          charge: 0
---
apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpecBinding
metadata: {name: books, namespace: shop}
spec:
  services:
    - name: web
  quotaSpecs:
    - name: bookz
`;

test('messages about objects that the input lacks are left out and counted, unless the input is complete', async (t) => {
  const part = await analyzeTexts({ 'quotas.yaml': QUOTAS });
  t.deepEqual(part.findings.map(shownFinding), ['quotas.yaml:7 MESH0241 QuotaSpec/shop/books spec.rules[0].quotas[0]']);
  t.is(part.leftOut, 3);
  const whole = await analyzeTexts({ 'quotas.yaml': QUOTAS }, { isComplete: true });
  t.deepEqual(whole.findings.map(shownFinding), [
    'quotas.yaml:1 MESH0201 QuotaSpec/shop/books',
    'quotas.yaml:7 MESH0241 QuotaSpec/shop/books spec.rules[0].quotas[0]',
    'quotas.yaml:15 MESH0202 QuotaSpecBinding/shop/books spec.services[0]',
    'quotas.yaml:17 MESH0101 QuotaSpecBinding/shop/books spec.quotaSpecs[0]',
  ]);
  t.is(whole.leftOut, 0);
});

test('a finding has its line of the file, and message and remedy apart', async (t) => {
  const { findings } = await analyzeTexts({ 'quotas.yaml': QUOTAS });
  const [{ message = '', remedy = '', excerpt = '' } = {}] = findings;
  t.is(excerpt, '- quota: requests');
  t.is(message, 'quota requests is charged 0, so nothing is charged');
  t.is(remedy, 'name the quota to charge, with a charge of 1 or more, or remove it');
});

test('a selector is compared with the pod templates of Deployments', async (t) => {
  const policy = (app: string) =>
    `apiVersion: security.mesh.internal/v1beta1\nkind: AuthorizationPolicy\nmetadata: {name: p, namespace: shop}\n` +
    `spec: {selector: {matchLabels: {app: ${app}}}, rules: [{}]}\n---\napiVersion: apps/v1\nkind: Deployment\n` +
    'metadata: {name: web, namespace: shop}\nspec: {template: {metadata: {labels: {app: web}}}}\n';
  const codesOf = async (app: string) =>
    (await analyzeTexts({ 'p.yaml': policy(app) }, { isComplete: true })).findings.map(({ code }) => code);
  t.false((await codesOf('web')).includes('MESH0127'));
  t.true((await codesOf('wbe')).includes('MESH0127'));
});

test('a message about the pod of a template names the Deployment', async (t) => {
  const text =
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh-injection: enabled}}\n---\n' +
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n' +
    'spec: {template: {metadata: {labels: {app: web}}}}\n';
  const { findings } = await analyzeTexts({ 'web.yaml': text }, { isComplete: true });
  t.deepEqual(findings.map(shownFinding), ['web.yaml:5 MESH0117 Deployment/shop/web']);
});

test('an input without objects is an error', async (t) => {
  await t.throwsAsync(analyzeTexts({ 'empty.yaml': '# nothing\n' }), { instanceOf: InputError });
});
