export interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** The tags of the elements around it, from the outermost on; a section with its id: `section[targets]`. */
  readonly path: readonly string[];
  readonly children: Element[];
  /** Its texts and those of the elements in it, unescaped. */
  readonly texts: string[];
}

const VOID_TAGS = ['meta', 'rect', 'line', 'br'];

/** The elements that a page may have: none of them loads, runs or sends anything. */
const TAGS = (
  'html head meta title style body header main footer section h1 h2 p ul li strong span code figure figcaption svg line rect text ' +
  'br details summary div table caption thead tbody tr th td dl dt dd'
).split(' ');

/** The attributes that a page may have. `style`, `href`, `src` and handlers of events are not among them. */
const ATTRIBUTES = (
  'lang charset http-equiv content name class id role tabindex scope colspan aria-label aria-labelledby aria-hidden ' +
  'x y x1 x2 y1 y2 width height rx'
).split(' ');

const TOKEN = /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?: [a-z0-9-]+="[^"<>]*")*)(\/?)>|[^<>]+/y;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/**
 * The elements of a page, in the order in which they begin. It must be HTML of the strictest form: every element is closed, every attribute
 * stands in double quotes, every special character is an entity, and nothing loads, runs or sends something.
 */
export function readHtml(page: string): readonly Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const [before = '', style = '', after = ''] = page.split(/(?<=<style>)([^<]*)(?=<\/style>)/);
  if (style === '') throw new Error('no style sheet');
  const text = before + after;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) throw new Error(`not HTML: ${text.slice(at, at + 80)}`);
    const [whole, slash, tag, attributes = '', end] = token;
    if (tag === undefined) {
      if (!whole.startsWith('<!')) for (const element of open) element.texts.push(unescapeText(whole));
    } else if (slash === '/') {
      const closed = open.pop();
      if (closed?.tag !== tag) throw new Error(`</${tag}> closes <${String(closed?.tag)}>`);
    } else {
      const element = { tag, attributes: readAttributes(attributes), path: open.map(nameOf), children: [], texts: [] };
      if (!TAGS.includes(tag)) throw new Error(`<${tag}> is not to be on a page`);
      open.at(-1)?.children.push(element);
      elements.push(element);
      if (end === '' && tag !== 'meta') open.push(element);
      else if (!VOID_TAGS.includes(tag)) throw new Error(`<${tag}> is not void`);
    }
  }
  if (open.length > 0) throw new Error(`not closed: ${open.map(nameOf).join(' ')}`);
  return elements;
}

export function textOf({ texts }: Element): string {
  return texts.join('').replace(/\s+/g, ' ').trim();
}

function nameOf({ tag, attributes }: Element): string {
  const label = attributes.get('aria-labelledby');
  return label === undefined ? tag : `${tag}[${label}]`;
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = Array.from(text.matchAll(/ ([a-z0-9-]+)="([^"]*)"/g), ([, name = '', value = '']): [string, string] => [
    name,
    unescapeText(value),
  ]);
  const [unknown] = attributes.find(([name]) => !ATTRIBUTES.includes(name)) ?? [];
  if (unknown !== undefined) throw new Error(`the attribute ${unknown} is not to be on a page`);
  return new Map(attributes);
}

function unescapeText(text: string): string {
  return text.replace(/&([^;]{0,10};?)/g, (whole, entity: string) => {
    const character = ENTITIES[entity.slice(0, -1)];
    if (character === undefined) throw new Error(`not an entity: ${whole}`);
    return character;
  });
}
