/** What only a text taken for markup can have brought onto a page; to be evaluated there. */
export const INTRUDERS = `[...document.body.querySelectorAll('*')].filter((element) =>
  element.matches('iframe, object, embed, base, form[action], script:not([src]), svg script, math, marquee, video, audio') ||
  [...element.attributes].some(({ name, value }) => name.startsWith('on') ||
    (['href', 'src', 'action'].includes(name) && /^\\s*(javascript|data|vbscript):/i.test(value)))
).map((element) => element.outerHTML.slice(0, 200))`
