import { Converter, ReflectionKind } from 'typedoc';

/**
 * docs/reference/README.md, made from the docstrings of what src/index.ts exports: `npm run docs`. `npm run check:docs` says whether it is
 * up to date, and whether every export has a docstring.
 *
 * @type {Partial<import('typedoc').TypeDocOptions> & Partial<import('typedoc-plugin-markdown').PluginOptions>}
 */
export default {
  entryPoints: ['src/index.ts'],
  plugin: ['typedoc-plugin-markdown', spellOutConstants],
  name: 'Reference',
  out: 'docs/reference',
  readme: 'none',
  router: 'module',
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases'],
  sort: ['source-order'],
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: {
    hideSources: true,
    hideModifiers: true,
    hideInherited: true,
    hideOverrides: true,
    leftAlignHeaders: true,
  },
  validation: { notExported: true, notDocumented: true, invalidLink: true, rewrittenLink: true },
  requiredToBeDocumented: ['Function', 'Class', 'Interface', 'TypeAlias', 'Variable', 'Method'],
  treatValidationWarningsAsErrors: true,
};

/** Shows the members of a union that is made of a constant: `'strict' | 'sort' | 'keep'` for `(typeof ORDERS)[number]`. */
function spellOutConstants(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const [declaration] = context.getSymbolFromReflection(reflection)?.declarations ?? [];
    if (!reflection.kindOf(ReflectionKind.TypeAlias) || !/= (?:\(|keyof )typeof /.test(declaration?.getText() ?? '')) return;
    reflection.comment?.modifierTags.add('@useDeclaredType');
  });
}
