// Runs in the browser, on the pages that mails lead to. The token is behind `#`, where no server and no log sees it; it leaves the
// address bar at once. Nothing is sent before somebody asks for it: mail scanners open links, too.
const token = new URLSearchParams(location.hash.slice(1)).get('token')
history.replaceState(null, '', location.pathname)

const form = document.querySelector('form')
const button = form.querySelector('button')
const problem = document.getElementById('problem')
const parts = document.querySelectorAll('[data-part]')

function show(id) {
  for (const part of parts) part.hidden = part.id !== id
  document.getElementById(id).querySelector('input, button')?.focus()
}

function fail(text) {
  problem.textContent = text
  problem.hidden = false
}

function bodyOf() {
  const password = document.getElementById('password')
  return password ? { token, new_password: password.value } : { token }
}

async function send() {
  const answer = await fetch(form.dataset.post, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'podstep' },
    body: JSON.stringify(bodyOf()),
  })
  if (answer.ok) return show('done')
  const { error, message } = await answer.json()
  if (error === 'invalid_token') show('void')
  else fail(message)
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const [one, two] = ['password', 'again'].map((id) => document.getElementById(id)?.value)
  if (one !== two) return fail('The two passwords differ.')
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

show(token ? 'ask' : 'void')
