import test from 'ava';
import { isRefundedCode, joinCodes } from '../../../src/policy/quota/refunds/refund-codes.js';
import {
  type RefundTicket,
  readTicket,
  refundedCharges,
  writeTicket,
} from '../../../src/policy/quota/refunds/refund-ticket.js';
import { windowShape } from '../../../src/policy/quota/window-shape.js';

const TICKET: RefundTicket = {
  id: 'request',
  untilMs: 1_800_000_000_000,
  charges: [
    { ref: 'a/1', amount: 2, maxAmount: 10, shape: windowShape('month', 1), codes: '5xx 429' },
    { ref: 'b/7', amount: 1, maxAmount: 600, shape: windowShape('rolling', 60_000), codes: '503' },
  ],
};

test('a ticket is read as it was written, and is one word', (t) => {
  const written = writeTicket(TICKET, 'secret');
  t.regex(written, /^[\w-]+\.[\w-]{32}$/);
  t.deepEqual(readTicket(written, 'secret'), TICKET);
});

test('a ticket of another secret, a changed one and any other text is no ticket', (t) => {
  const written = writeTicket(TICKET, 'secret');
  const [text = '', proof = ''] = written.split('.');
  const forged = writeTicket({ ...TICKET, charges: [] }, 'guess').split('.')[0] ?? '';
  for (const other of [
    ...['', '.', 'x', `${text}`, `${text}.`, `${text}x.${proof}`, `${text}.${proof}x`, `${written}.x`, `.${proof}`],
    `${forged}.${proof}`,
  ]) {
    t.is(readTicket(other, 'secret'), undefined, other);
  }
  t.is(readTicket(written, 'other'), undefined);
});

test('each charge of a ticket is given back for its own codes', (t) => {
  const refs = (code: number) => refundedCharges(TICKET, code).map(({ ref }) => ref);
  t.deepEqual(refs(503), ['a/1', 'b/7']);
  t.deepEqual(refs(500), ['a/1']);
  t.deepEqual(refs(429), ['a/1']);
  t.deepEqual(refs(200), []);
  t.deepEqual(refs(0), []);
});

test('codes are compared as a whole, or by their first digit', (t) => {
  t.true(isRefundedCode('5xx', 599));
  t.false(isRefundedCode('5xx', 5));
  t.false(isRefundedCode('5xx', 5000));
  t.false(isRefundedCode('404', 40));
  t.false(isRefundedCode('', 0));
  t.is(joinCodes(['5xx 429', '429 404', '']), '5xx 429 404');
});
