import test from 'ava';
import { estimateParsedBytes } from '../../../src/webhooks/admission/json-text.js';

const MEGABYTE = 1 << 20;

for (const [title, text, atLeast, atMost] of [
  ['one long text', JSON.stringify('x'.repeat(MEGABYTE)), 1, 3],
  ['empty objects', `[${'{},'.repeat(MEGABYTE / 3)}{}]`, 18, 60],
  ['commas inside of a text', JSON.stringify(',[{'.repeat(MEGABYTE / 3)), 1, 3],
  ['numbers', `[${'1,'.repeat(MEGABYTE / 2)}1]`, 2, 40],
] as const) {
  test(`a megabyte of ${title} is estimated to take ${atLeast} to ${atMost} MB`, (t) => {
    const megabytes = estimateParsedBytes(Buffer.from(text)) / MEGABYTE;
    t.true(megabytes >= atLeast && megabytes <= atMost, String(megabytes));
  });
}
