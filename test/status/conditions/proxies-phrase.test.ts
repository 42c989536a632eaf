import test from 'ava';
import { proxiesPhrase } from '../../../src/status/conditions/object-status.js';
import { progressOf } from './support.js';

const rejection = (proxy: string, text: string) => ({ proxy, type: 'cds', text, others: [] });

test('status.proxies is one short phrase in every state', (t) => {
  t.is(proxiesPhrase(progressOf()), '3/3 up to date');
  t.is(proxiesPhrase(progressOf({ ackedProxies: 1, lagging: ['meshd-0'] })), '1/3 up to date');
  t.is(proxiesPhrase(undefined), 'not tracked');
});

test('proxies that reject an object are counted once each', (t) => {
  const rejections = [rejection('a.shop', 'long text'), rejection('a.shop', 'another'), rejection('b.shop', 'x')];
  t.is(proxiesPhrase(progressOf({ ackedProxies: 1, rejections })), '1/3 up to date, 2 rejected');
});
