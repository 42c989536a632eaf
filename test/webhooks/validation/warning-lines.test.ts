import test from 'ava';
import { createMessage } from '../../../src/status/analysis/analysis-message.js';
import { messageLine, unknownFieldLine } from '../../../src/webhooks/validation/warning-lines.js';

test('a message is one line with code, field, problem and remedy', (t) => {
  const message = createMessage('unboundSpec', { field: 'spec' }, 'nothing names it');
  t.is(messageLine(message), 'MESH0201: spec: nothing names it; create a binding that names the spec and its services');
});

test('a link to the documentation replaces a remedy that is too long for an API server', (t) => {
  const text = `nothing enforces it ${'x'.repeat(60)}`;
  t.is(messageLine(createMessage('policyNotEnforced', {}, text)), `MESH0204: ${text}; see docs/analysis.md#mesh0204`);
});

test('the warning about an unknown field names the similar known field', (t) => {
  t.is(
    unknownFieldLine({ path: 'spec.rulez', message: 'is not a known field', remedy: 'did you mean rules?' }),
    'unknown field "spec.rulez": it has no effect; did you mean rules?',
  );
});
