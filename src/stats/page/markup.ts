import { escapeHtml, escapeText } from '../../wording.js';

export interface Markup {
  readonly source: string;
}

/** Text, which is escaped, or pieces, which are not escaped again. */
type Value = string | Markup | readonly Markup[];

/**
 * Makes a piece of HTML. Every text that is put into the template is escaped, for an element and for an attribute in double quotes.
 * Nothing else makes a piece of a text: a text that is forgotten is escaped.
 */
export function markup(template: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const [first = '', ...others] = template;
  return { source: others.reduce((source, part, index) => source + sourceOf(values[index] ?? '') + part, first) };
}

export const NOTHING: Markup = { source: '' };

function sourceOf(value: Value): string {
  if (typeof value === 'string') return escapeHtml(escapeText(value)).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  return 'source' in value ? value.source : value.map(({ source }) => source).join('\n');
}
