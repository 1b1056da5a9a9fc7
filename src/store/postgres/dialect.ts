/**
 * SQLite's words in the statements of the stores, each with PostgreSQL's, from top to bottom. They are applied outside of
 * quotes and comments: `'0'` stands for a quoted text, and `"0"` for a quoted name.
 */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Hints for SQLite's planner, which change no result: an index, the order of two tables, no index for a comparison.
  [/ INDEXED BY \w+/g, ''],
  [/\bCROSS JOIN (?=\w+(?:\s+\w+)?\s+ON\b)/g, 'JOIN '],
  // The planner may look episodes up by podcast only and compare all their URLs, if it takes each podcast for a small one.
  [
    /\bJOIN episodes (\w+) ON \1\.podcast_id = ([\w.]+) AND \1\.url = ((?:[a-z]\w*\.)\w+(?: ->> \d+)?)/g,
    'JOIN LATERAL (SELECT * FROM episodes WHERE podcast_id = $2 AND url = $3 OFFSET 0) $1 ON true',
  ],
  [/\+(?=\?)/g, ''],
  // A list as a parameter: `value` is text, and `key` counts from 0. The driver sends the parameter as text.
  [
    /\bjson_each\((\?\d+)\)( [a-z]\w*)?/g,
    '(SELECT value, n - 1 AS key FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS items (value, n))$2',
  ],
  [/( AS items \(value, n\)\))(?! [a-z])/g, '$1 items'],
  // Members of JSON that is kept as text: `->` gives JSON text (json_member is ours), and `->>` a value.
  [/([\w.]+) -> ('\d+')/g, 'json_member($1, $2)'],
  [/([\w.]+) ->> (?=\d)/g, '$1::json ->> '],
  [/\bjson_group_array\(([^()]*)\)/g, "COALESCE(json_agg($1), '[]')::text"],
  [/\bjson_array\(([^()]*)\)/g, 'json_build_array($1)::text'],
  // Equality that takes NULL for a value.
  [/\bIS NOT\s+(?!NULL\b|TRUE\b|FALSE\b|DISTINCT\b)/g, 'IS DISTINCT FROM '],
  [/\bIS (?!NOT\b|NULL\b|TRUE\b|FALSE\b|DISTINCT\b)/g, 'IS NOT DISTINCT FROM '],
  // The larger and the smaller one of two values that are not NULL. Aggregates are written in upper case.
  [/\bmax\(/g, 'GREATEST('],
  [/\bmin\(/g, 'LEAST('],
  [/\bIFNULL\(/g, 'COALESCE('],
  [/\binstr\(/g, 'strpos('],
  // Integers have 64 bits, LIKE ignores the case of ASCII letters, and -1 is no limit.
  [/\bAS INTEGER\)/g, 'AS bigint)'],
  [/\bLIKE\b/g, 'ILIKE'],
  [/\bLIMIT -1\b/g, 'LIMIT ALL'],
  // The query builder inserts NULL as the number of a new row, and names the table of a unique key's columns.
  [/^(insert into "\d+" \("\d+"(?:, "\d+")*\) values \()null\b/g, '$1default'],
  [/(?<=\bon conflict \([^()]*)"\d+"\.(?=")/g, ''],
  // Names without quotes would become lower case.
  [/\b[a-z]+[A-Z]\w*/g, '"$&"'],
]

/** Quoted text and names, and comments. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*/g

/** Paths in JSON are names of members: the operators take both, but SQLite has an index on the path. */
const JSON_PATH = /(?<= -> ')\$\.(?=\w+')/g

/** A statement for PostgreSQL. The engines have the same words for all else that the stores use. */
export function toPostgres(sql: string): string {
  const quoted: string[] = []
  const bare = sql.replace(JSON_PATH, '').replace(QUOTED, (text) => {
    if (text.startsWith('--')) return ''
    quoted.push(text)
    return `${text[0]}${quoted.length - 1}${text[0]}`
  })
  const ruled = RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), bare)
  return numbered(fenced(ruled)).replace(/(['"])(\d+)\1/g, (_, _quote, index) => quoted[Number(index)] ?? '')
}

/**
 * Has each EXISTS look for a row by its index, as SQLite does. Without OFFSET, the planner may read and hash the whole table
 * of the subquery, because it takes LIMIT ?1 for a tenth of all rows.
 */
function fenced(sql: string): string {
  const [start = '', ...parts] = sql.split('EXISTS (')
  return start + parts.reduceRight((after, part) => `EXISTS (${withOffset(part + after)}`, '')
}

/** Adds OFFSET 0 to the subquery that ends at the first parenthesis that is closed and not opened in `text`. */
function withOffset(text: string): string {
  let depth = 1
  const end = [...text].findIndex((character) => {
    if (character === '(') depth++
    if (character === ')') depth--
    return depth === 0
  })
  return `${text.slice(0, end)} OFFSET 0${text.slice(end)}`
}

/** Parameters by number: `?1` is `$1`, and each `?` of the query builder the next one. */
function numbered(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number) => `$${number || ++last}`)
}
