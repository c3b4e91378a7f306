/**
 * Generates the validators of `schemas/` as JavaScript. The build does it (`src/build.mjs`), because compiling
 * the schemas took a third of the processor time of a start. The server does not load this file.
 */
import { _, Ajv2020, type CodeKeywordDefinition } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { rules } from './rules.js';
import { readSchema, schemaNames, type SchemaFolder } from './schemas.js';

/**
 * The source of a CommonJS module for the schemas of a folder: it exports `(rules) => validators`, the
 * validators by the name of their schema. @throws Error for a schema that is wrong.
 */
export function compileSchemas(folder: SchemaFolder): string {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: folder === 'requests',
    strict: true,
    code: { source: true, formats: _`rules.formats` },
  });
  for (const [name, format] of Object.entries(rules.formats)) ajv.addFormat(name, format);
  ajv.addKeyword(xJson);
  ajv.addSchema(readSchema('common.json'));
  const names = schemaNames(folder);
  // A schema may refer to others of its folder, so all are added before the first is compiled.
  const ids = names.map((name) => {
    const schema = readSchema(`${folder}/${name}.json`);
    ajv.addSchema(schema);
    return [name, String(schema['$id'])];
  });
  const code = standalone.default(ajv, Object.fromEntries(ids) as Record<string, string>);
  return `module.exports = (rules) => {\nconst exports = {};\n${code}\nreturn exports;\n};\n`;
}

/** The keyword `x-json`: limits of a free JSON value. The error's message says which limit is broken. */
const xJson: CodeKeywordDefinition = {
  keyword: 'x-json',
  type: 'object',
  schemaType: 'object',
  error: { message: ({ params }) => params['fault'] as never, params: () => _`{}` },
  code(cxt) {
    const { gen, data, schema } = cxt;
    // Interpolation writes an object as its JSON, which the types do not say.
    const fault = gen.const('fault', _`rules.jsonFault(${data}, ${schema as never})`);
    cxt.setParams({ fault });
    cxt.fail(_`${fault} !== null`);
  },
};
