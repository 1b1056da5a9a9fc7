// Runs in the browser, on every page with a form: sends it as JSON, and shows what came of it. `data-post` is where to,
// `data-next` where to go afterwards. With `data-basic` it signs in; with `data-token` the token of a mailed link goes along.
const form = document.querySelector('form')
const button = form.querySelector('button')
const problem = document.getElementById('problem')
const parts = document.querySelectorAll('[data-part]')
const { post, next, basic, token: needsToken } = form.dataset

// The token is behind `#`, where no server and no log sees it; it leaves the address bar at once. Nothing is sent before somebody
// asks for it: mail scanners open links, too.
const token = new URLSearchParams(location.hash.slice(1)).get('token')
if (location.hash) history.replaceState(null, '', location.pathname)

function show(id) {
  for (const part of parts) part.hidden = part.id !== id
  document.getElementById(id).querySelector('input')?.focus()
}

function fail(text) {
  problem.textContent = text
  problem.hidden = false
}

function order() {
  const filled = [...new FormData(form)].filter(([name, value]) => name !== 'again' && value !== '')
  const values = Object.fromEntries(filled)
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'podstep' }
  if (basic === undefined) {
    const body = JSON.stringify(needsToken === undefined ? values : { ...values, token })
    return fetch(post, { method: 'POST', headers, body })
  }
  const { username = '', password = '' } = values
  const bytes = new TextEncoder().encode(`${username.trim()}:${password}`)
  headers.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
  return fetch(post.replace('{username}', encodeURIComponent(username.trim())), { method: 'POST', headers })
}

async function send() {
  const answer = await order()
  if (answer.ok) return next === undefined ? show('done') : location.assign(next)
  const { error, message } = await answer.json()
  if (error === 'invalid_token') show('void')
  else fail(message)
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { new_password: one, again: two } = form.elements
  if (one && two && one.value !== two.value) return fail('The two passwords differ.')
  problem.hidden = true
  button.disabled = true
  try {
    await send()
  } catch {
    fail('The server cannot be reached. Try again in a moment.')
  } finally {
    button.disabled = false
  }
})

show(needsToken !== undefined && !token ? 'void' : 'ask')
