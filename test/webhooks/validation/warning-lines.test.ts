import test from 'ava';
import { createMessage } from '../../../src/status/analysis/analysis-message.js';
import { messageLine, unknownFieldLine } from '../../../src/webhooks/validation/warning-lines.js';

test('a message is one line of code, field, what is the matter and what to do', (t) => {
  const message = createMessage('unboundSpec', { field: 'spec' }, 'nothing names it');
  t.is(messageLine(message), 'MESH0201: spec: nothing names it; create a binding that names the spec and its services');
});

test('where the remedy makes it too long for an API server, the documentation is named instead', (t) => {
  const text = `nothing enforces it ${'x'.repeat(60)}`;
  t.is(messageLine(createMessage('policyNotEnforced', {}, text)), `MESH0204: ${text}; see docs/analysis.md#mesh0204`);
});

test('an unknown field is told with the name that was meant', (t) => {
  t.is(
    unknownFieldLine({ path: 'spec.rulez', message: 'is not a known field', remedy: 'did you mean rules?' }),
    'unknown field "spec.rulez": it has no effect; did you mean rules?',
  );
});
