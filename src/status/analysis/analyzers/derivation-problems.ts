import type { DerivationProblemType } from '../../../model/derived/derivation.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import type { MessageName } from '../message-codes.js';

const NAMES: Readonly<Record<DerivationProblemType, MessageName>> = {
  unsupported: 'sourceUnsupported',
  conflict: 'sourceConflict',
  reference: 'sourceReference',
};

/** Problems of Ingresses, and of other objects from which Gateways and VirtualServices are made. */
export const findDerivationProblems: Analyzer = ({ derivationProblems }) =>
  derivationProblems.map(({ type, object, field, text }) =>
    createMessage(NAMES[type], { object, ...(field === undefined ? {} : { field }) }, text),
  );
