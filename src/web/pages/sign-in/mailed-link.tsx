import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Form } from '../../components/forms/form.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

/** A link without a token has ''. */
interface Link {
  /** What the token is called in the link. */
  readonly kind: 'token' | 'invitation'
  readonly token: string
}

/**
 * The token of the link that has opened the page. It stands after the `#`, which browsers do not send, and is removed
 * from the address immediately, so that it does not remain in the history or in screenshots.
 */
export function useLink(): Link {
  const [link, setLink] = useState(takeLink)
  useEffect(() => {
    // Opening another link while the page is open changes only the fragment and loads nothing.
    const take = () =>
      setLink((known) => {
        const next = takeLink()
        return next.token === '' ? known : next
      })
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return link
}

function takeLink(): Link {
  const hash = new URLSearchParams(location.hash.slice(1))
  const kind = hash.has('invitation') ? 'invitation' : 'token'
  const token = hash.get(kind) ?? ''
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return { kind, token }
}

interface MailedLinkProps {
  readonly title: string
  readonly lead: string
  readonly token: string
  /** Uses the token. */
  readonly onSubmit: () => Promise<unknown>
  /** The label of the button that does. */
  readonly submit: string
  /** What has happened after success. */
  readonly done: string
  /** What to do if the link is unknown, used or expired. */
  readonly advice: string
  /** The button for that. */
  readonly retry: ComponentChildren
  /** The fields of the form, which show the error themselves. Without fields it is shown above the button. */
  readonly fields?: (error: string) => ComponentChildren
}

/** The page that a mailed link opens. Only its button uses the token, since mail scanners open links, too. */
export function MailedLink({ title, lead, token, onSubmit, submit, done, advice, retry, fields }: MailedLinkProps) {
  const { isBusy, isDone, error, run } = useMutation()
  if (isDone.value)
    return (
      <AuthLayout title={title}>
        <Notice>{done}</Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {t('auth.signIn')}
        </ButtonLink>
      </AuthLayout>
    )
  if (token === '' || (error.value instanceof ApiError && error.value.field === 'token'))
    return (
      <AuthLayout title={title}>
        <Notice kind="error">
          <p>{t('auth.tokenBad')}</p>
          <p>{advice}</p>
        </Notice>
        {retry}
      </AuthLayout>
    )
  return (
    <AuthLayout title={title} lead={lead} isForm>
      <Form error={error.value} onSubmit={() => run(onSubmit)}>
        {fields ? (
          fields(errorMessage(error.value))
        ) : (
          <ErrorNotice text={errorMessage(error.value)} error={error.value} />
        )}
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {submit}
        </Button>
      </Form>
    </AuthLayout>
  )
}
