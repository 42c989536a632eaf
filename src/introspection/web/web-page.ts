import type { Html } from '../html.js';
import type { JsonSource } from '../json-source.js';
import { json, type Page, type PageParameter, type PageRequest } from '../page.js';
import type { Views } from '../views.js';
import { renderFrame } from './frame.js';
import type { Site } from './site.js';

/** A page for people: a model read from the views, and its rendering. Scripts get the model as JSON. */
export interface WebPageDefinition<Model> {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly parameters?: readonly PageParameter[];
  /** Whether the page updates itself. Default true. */
  readonly isLive?: boolean;
  /** Reads the views. It throws errors as HttpProblem. */
  model(views: Views, request: PageRequest): Model | Promise<Model>;
  render(model: Model): Html;
  json(model: Model): JsonSource;
}

/** Parameter of every page for people. The header `Accept: application/json` has the same effect. */
const AS_JSON: PageParameter = { name: 'format', required: false, choice: { type: 'value', value: 'json' } };

export function createWebPage<Model>(site: Site, definition: WebPageDefinition<Model>): Page {
  const { path, title, description, parameters = [], isLive = true } = definition;
  const main = async (views: Views, request: PageRequest): Promise<Html> =>
    definition.render(await definition.model(views, request));
  return {
    path,
    description,
    audience: 'operator',
    parameters: [...parameters, AS_JSON],
    ...(isLive ? { liveContent: main } : {}),
    handle: async (views, request) => {
      if (request.wantsJson) return json(definition.json(await definition.model(views, request)));
      const frame = { site, build: views.build, path, title, isLive };
      return { type: 'html', html: renderFrame({ ...frame, main: await main(views, request) }) };
    },
  };
}
