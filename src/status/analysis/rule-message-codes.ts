import type { MessageCode } from './message-codes.js';

/** Codes of the policy runtime. */
export const RULE_MESSAGE_CODES = {
  invalidExpression: {
    code: 'MESH0272',
    level: 'Error',
    needs: 'wholeMesh',
    title:
      'An expression is wrong with the attributes of the mesh and of attributemanifests, so its object is not used.',
    remedy:
      'correct the expression, or declare the attribute in an attributemanifest of the namespace or the root namespace',
  },
  unsupportedTemplate: {
    code: 'MESH0273',
    level: 'Error',
    title: 'A rule calls a handler with an instance of a template that its adapter does not take.',
    remedy: 'name another handler or instance; docs/policy-rules.md#adapters lists the templates of each adapter',
  },
  idleRuleField: {
    code: 'MESH0274',
    level: 'Warn',
    title: 'A field of a rule, handler, instance, adapter or template is accepted, but has no effect in this mesh.',
    remedy: 'remove it; docs/policy-rules.md lists such fields',
  },
  conflictingManifest: {
    code: 'MESH0275',
    level: 'Warn',
    title:
      'Two attributemanifests give an attribute different types. That of the operator applies, otherwise the older one.',
    remedy: 'give the attribute one type, or another name',
  },
  ruleWithoutEffect: {
    code: 'MESH0276',
    level: 'Warn',
    title: 'A rule has nothing to do, or one of its actions has no instances.',
    remedy: 'add actions with instances, or header operations',
  },
  unusedRuleObject: {
    code: 'MESH0277',
    level: 'Info',
    needs: 'wholeMesh',
    title: 'No object names a handler, instance, adapter or template, so it is never used.',
    remedy: 'name it in a rule or handler, or remove it',
  },
  ruleReferenceNotGranted: {
    code: 'MESH0278',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'An object names another one of a namespace that does not grant it access.',
    remedy:
      'ask an owner of that namespace to run the command, or use objects of the own namespace or the root namespace',
  },
  unusableRuleObject: {
    code: 'MESH0279',
    level: 'Error',
    needs: 'wholeMesh',
    title: 'A rule names a handler or instance that has errors of its own, so the action does not use it.',
    remedy: 'correct the handler or instance',
  },
  misfittingParameters: {
    code: 'MESH0280',
    level: 'Error',
    needs: 'wholeMesh',
    title:
      'A parameter of a handler, or a field of an instance, does not fit the descriptor of the adapter or template that it names.',
    remedy: 'correct it; the descriptor says which fields there are, and their types',
  },
  handlerNotBuilt: {
    code: 'MESH0281',
    level: 'Error',
    title:
      'The policy server cannot start a handler with its parameters. The fail policy decides about requests that need it, or the former handler of this name stays.',
    remedy: 'correct the parameter that the message names',
  },
  rulesDecidedElsewhere: {
    code: 'MESH0282',
    level: 'Warn',
    title: 'The policy server in the control plane asks another policy server (backend), so it applies no rules.',
    remedy: 'apply the rules at that server, or remove backend from the file of --policyConfig',
  },
  unsetAttribute: {
    code: 'MESH0284',
    level: 'Warn',
    needs: 'wholeMesh',
    title:
      'The condition of a rule reads an attribute that an attributemanifest declares and nothing sets. The rule matches no request that needs its value.',
    remedy: 'use an attribute of docs/attributes.md, give it a default with |, or set it in an HTTPAPISpec',
  },
  misleadingExpression: {
    code: 'MESH0285',
    level: 'Warn',
    title:
      'A part of an expression does not mean what it looks like: a request gives the regular expression, a star stands inside a pattern, a header is not in lower case, or an attribute never has the value.',
    remedy: 'correct the expression as the message says; docs/expressions.md lists functions and operators',
  },
  lateRuleAttribute: {
    code: 'MESH0286',
    level: 'Warn',
    title:
      'A rule that checks requests, or an instance of such a rule, reads an attribute that is known only when the request has ended.',
    remedy:
      'use an attribute that docs/attributes.md says is known at a check, give it a default with |, or use a handler that reports',
  },
  unknownDimension: {
    code: 'MESH0287',
    level: 'Warn',
    title:
      'A handler names a dimension that its instance does not have: an override never applies, or a label is empty.',
    remedy: 'correct the name, or add the dimension to the instance',
  },
  unchargedQuota: {
    code: 'MESH0288',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'Rules count a quota that no QuotaSpec charges, so no request is counted.',
    remedy: 'charge the quota in a QuotaSpec, under the name of the instance, and bind the QuotaSpec to services',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
