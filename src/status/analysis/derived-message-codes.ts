import type { MessageCode } from './message-codes.js';

/** Codes about objects from which others are made, such as Ingresses; from 0601. */
export const DERIVED_MESSAGE_CODES = {
  sourceUnsupported: {
    code: 'MESH0601',
    level: 'Warn',
    title: 'A field of an Ingress, or of an object like it, is not supported, so this part has no effect.',
    remedy: 'remove the field, or write a Gateway and a VirtualService; docs/ingress.md lists what is supported',
  },
  sourceConflict: {
    code: 'MESH0602',
    level: 'Warn',
    title: 'Two Ingresses, or objects like them, ask for the same host, path or certificate. The older one has it.',
    remedy: 'change or remove one of them',
  },
  sourceReference: {
    code: 'MESH0603',
    level: 'Error',
    needs: 'wholeMesh',
    title:
      'An Ingress, or an object like it, names an object that does not exist, so its requests are answered with 503.',
    remedy: 'correct the name or the port, or create the object',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
