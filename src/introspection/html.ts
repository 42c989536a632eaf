/** Safe markup. Only the tag `html` makes it, which escapes all inserted text. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Insertion = string | number | Html | readonly Html[];

/** Template tag. Escapes inserted text for element content and quoted attributes. Inserts `Html` unchanged. */
export function html(strings: TemplateStringsArray, ...insertions: readonly Insertion[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, insertion] of insertions.entries()) {
    markup += render(insertion) + (strings[index + 1] ?? '');
  }
  return new Html(markup);
}

function render(insertion: Insertion): string {
  if (insertion instanceof Html) return insertion.markup;
  if (typeof insertion === 'object') return insertion.map((item) => item.markup).join('');
  return escapeHtml(String(insertion));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** @param markup of the tag `html`, which another instance of this program has sent. It is not escaped. */
export function trustedMarkup(markup: string): Html {
  return new Html(markup);
}

/** @param styleSheet trusted text without a closing tag. It is not escaped. */
export function styleElement(styleSheet: string): Html {
  return new Html(`<style>${styleSheet}</style>`);
}

/** @param script trusted text without a closing tag. It is not escaped. */
export function scriptElement(script: string): Html {
  return new Html(`<script>${script}</script>`);
}
