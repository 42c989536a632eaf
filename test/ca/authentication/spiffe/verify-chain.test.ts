import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { createChainMemory } from '../../../../src/ca/authentication/spiffe/verify-chain.js';
import { createTestAuthority } from '../../../support/certificate-issuer.js';

const authority = createTestAuthority('mesh');
const other = createTestAuthority('other');
const leafOf = ({ issue }: typeof authority) =>
  new X509Certificate(issue({ uris: ['spiffe://cluster.local/ns/shop/sa/cart'] }).certificate);
const root = new X509Certificate(authority.certificate);

test('a chain is verified once for a leaf and a list of roots', (t) => {
  const chainsTo = createChainMemory();
  const leaf = leafOf(authority);
  const roots = [root];
  t.true(chainsTo(leaf, roots, new Date()));
  // The list is looked at no more.
  roots.length = 0;
  t.true(chainsTo(leaf, roots, new Date()));
});

test('another list of roots is verified again, so a removed root no longer counts', (t) => {
  const chainsTo = createChainMemory();
  const leaf = leafOf(authority);
  t.true(chainsTo(leaf, [root], new Date()));
  t.false(chainsTo(leaf, [new X509Certificate(other.certificate)], new Date()));
  t.true(chainsTo(leaf, [new X509Certificate(other.certificate), root], new Date()));
});

test('a certificate that expired after it was verified is rejected', (t) => {
  const chainsTo = createChainMemory();
  const leaf = leafOf(authority);
  const roots = [root];
  t.true(chainsTo(leaf, roots, new Date()));
  t.true(chainsTo(leaf, roots, new Date(leaf.validTo)));
  t.false(chainsTo(leaf, roots, new Date(Date.parse(leaf.validTo) + 1_000)));
});

test('a chain that does not verify is checked each time', (t) => {
  const chainsTo = createChainMemory();
  const leaf = leafOf(authority);
  const roots: X509Certificate[] = [];
  t.false(chainsTo(leaf, roots, new Date()));
  roots.push(root);
  t.true(chainsTo(leaf, roots, new Date()));
});
