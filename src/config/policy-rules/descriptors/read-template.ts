import { DescriptorError } from './descriptor-error.js';
import type { DescriptorSet, FileShape, MethodShape, ServiceShape } from './descriptor-set.js';
import { readInstanceFields } from './instance-message.js';
import { fieldsOfMessage } from './message-fields.js';
import { readTemplateOutput } from './template-output.js';
import type { TemplateVariety, TemplateWire } from './template-wire.js';

const VARIETY_OPTION = '(istio.mixer.adapter.model.v1beta1.template_variety)';
/** By the number of TemplateVariety. */
const VARIETIES: readonly TemplateVariety[] = ['check', 'report', 'quota', 'attributes', 'check'];
const WITH_OUTPUT = 4;
/** Number of the field with the name of an instance. */
const INSTANCE_NAME = 72295727;
const TEMPLATE_NAME = /^[A-Za-z]+$/;
const SERVICE_FILE = 'describe the file that has the service Handle… and the message InstanceMsg: docs/adapters.md';

/**
 * Reads the template of a descriptor: the one file with the option template_variety.
 *
 * @throws DescriptorError for a descriptor without it, or with messages that have no meaning here
 */
export function readTemplate(set: DescriptorSet): TemplateWire {
  const [file, ...others] = templateFiles(set);
  if (file === undefined) throw new DescriptorError(`has no file with the option ${VARIETY_OPTION}`, SERVICE_FILE);
  if (others.length > 0) {
    const names = [file, ...others].map(({ name }) => name).join(', ');
    throw new DescriptorError(`has several templates: ${names}`, 'describe each template in an object of its own');
  }
  return readTemplateFile(set, file);
}

/** The files of a set that are templates. */
export function templateFiles({ files }: DescriptorSet): readonly FileShape[] {
  return files.filter(({ templateVariety }) => templateVariety !== undefined);
}

/** @throws DescriptorError as readTemplate */
export function readTemplateFile(set: DescriptorSet, file: FileShape): TemplateWire {
  const { templateVariety = 0, package: packageName } = file;
  const variety = VARIETIES[templateVariety];
  if (variety === undefined) {
    throw new DescriptorError(
      `has the unknown variety ${templateVariety} in ${file.name}`,
      'use a variety of TemplateVariety',
    );
  }
  const name = file.templateName ?? packageName.split('.').at(-1) ?? '';
  if (!TEMPLATE_NAME.test(name)) {
    const message = `has the template name ${JSON.stringify(name.slice(0, 80))} in ${file.name}`;
    throw new DescriptorError(message, 'use letters only');
  }
  const { service, method } = findMethod(file);
  const instance = fieldsOfMessage(set, method.input).find(
    ({ name: field }) => field === 'instance' || field === 'instances',
  );
  if (instance === undefined || instance.type !== 'message') {
    throw new DescriptorError(`has no field instance in ${method.input}`, SERVICE_FILE);
  }
  if (instance.isRepeated !== (variety === 'report')) {
    const needed = variety === 'report' ? 'repeated InstanceMsg instances' : 'InstanceMsg instance';
    throw new DescriptorError(`has not the field that its variety needs in ${method.input}`, `write ${needed}`);
  }
  const numberOf = (field: string) => fieldsOfMessage(set, method.input).find((each) => each.name === field)?.number;
  const [adapterConfig, dedupId, quotaRequest] = [
    numberOf('adapter_config'),
    numberOf('dedup_id'),
    numberOf('quota_request'),
  ];
  if (variety === 'quota' && quotaRequest === undefined) {
    throw new DescriptorError(`has no field quota_request in ${method.input}`, SERVICE_FILE);
  }
  const nameField = fieldsOfMessage(set, instance.typeName).find(({ number }) => number === INSTANCE_NAME);
  return {
    name,
    variety,
    method: `/${packageName === '' ? '' : `${packageName}.`}${service.name}/${method.name}`,
    package: packageName,
    request: {
      instance: instance.number,
      ...(adapterConfig !== undefined && { adapterConfig }),
      ...(dedupId !== undefined && { dedupId }),
      ...(quotaRequest !== undefined && { quotaRequest }),
    },
    ...(nameField !== undefined && { instanceName: INSTANCE_NAME }),
    fields: readInstanceFields(set, instance.typeName, nameField),
    ...(templateVariety === WITH_OUTPUT && { output: readTemplateOutput(set, method.output) }),
  };
}

function findMethod(file: FileShape): { readonly service: ServiceShape; readonly method: MethodShape } {
  const service = file.services.find(({ name }) => name.startsWith('Handle'));
  const method = service?.methods[0];
  if (service === undefined || method === undefined) {
    throw new DescriptorError(`has no service Handle… in ${file.name}`, SERVICE_FILE);
  }
  if (method.isStreaming)
    throw new DescriptorError(`has the stream ${method.name}`, 'use a method with one request and one answer');
  return { service, method };
}
