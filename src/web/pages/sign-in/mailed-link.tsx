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

/** `token` is '' if the link has none. */
interface Link {
  /** Name of the token in the link. */
  readonly kind: 'token' | 'invitation'
  readonly token: string
}

/**
 * Returns the token of the link that opened the page. The token is in the fragment, which browsers do not send, and is
 * removed from the address immediately to keep it out of the history and of screenshots.
 */
export function useLink(): Link {
  const [link, setLink] = useState(takeLink)
  useEffect(() => {
    // Opening another link while the page is open changes only the fragment and does not reload the page.
    const take = () =>
      setLink((current) => {
        const next = takeLink()
        return next.token === '' ? current : next
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
  /** Redeems the token. */
  readonly onSubmit: () => Promise<unknown>
  readonly submit: string
  /** Message after success. */
  readonly done: string
  /** Advice for a link that is unknown, used or expired. */
  readonly advice: string
  readonly retry: ComponentChildren
  /** Fields of the form, which show the error themselves. Without fields, it appears above the button. */
  readonly fields?: (error: string) => ComponentChildren
}

/** The page that a mailed link opens. The token is redeemed by a button, because mail scanners open links as well. */
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
