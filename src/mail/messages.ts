import type { Mail } from '../domain/accounts/mail.ts'
import type { Language } from '../domain/shared/languages.ts'
import { type Html, html } from '../formats/html.ts'

export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Body extends Omit<Wording, 'subject' | 'label'> {
  readonly link: { readonly label: string; readonly href: string } | undefined
  readonly copy: string
}

const PAGES = { activation: 'activate', password_reset: 'reset-password' } as const

/** Subject, text and HTML of a mail. Links carry the token behind `#`, which browsers send to no server. */
export function messageOf(mail: Mail, baseUrl: string): Message {
  const { kinds, copy } = TEXTS[mail.language]
  const { subject, greeting, reason, label, small } = kinds[mail.kind]
  const isTest = mail.kind === 'test'
  const body: Body = {
    greeting: isTest ? greeting : greeting.replace('{name}', () => mail.username),
    reason,
    link:
      isTest || label === undefined ? undefined : { label, href: `${baseUrl}/${PAGES[mail.kind]}#token=${mail.token}` },
    copy,
    small,
  }
  return { subject, text: plain(body, baseUrl), html: marked(body, mail.language, baseUrl).html }
}

function plain({ greeting, reason, link, small }: Body, baseUrl: string): string {
  const parts = [greeting, reason, link?.href, small, `-- \npodstep, ${baseUrl}`]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

/** No style sheet, no picture, nothing to load: mail programs differ, and a mail should not tell that it was read. */
function marked({ greeting, reason, link, copy, small }: Body, language: string, baseUrl: string): Html {
  return html`<!doctype html>
<html lang="${language}">
<body>
<p>${greeting}</p>
<p>${reason}</p>
${link && html`<p><a href="${link.href}">${link.label}</a></p>\n<p>${copy}<br>${link.href}</p>\n`}<p>${small}</p>
<p>podstep, <a href="${baseUrl}/">${baseUrl}</a></p>
</body>
</html>
`
}

/** What a mail asks its reader to do. `{name}` is the user name. */
interface Wording {
  readonly subject: string
  readonly greeting: string
  readonly reason: string
  readonly label?: string
  readonly small: string
}

interface Texts {
  readonly kinds: Readonly<Record<Mail['kind'], Wording>>
  /** Stands before the address of the link, for mail programs that open none. */
  readonly copy: string
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    kinds: {
      activation: {
        subject: 'Activate your podstep account',
        greeting: 'Hello {name},',
        reason: 'Somebody, hopefully you, has created an account with this address. One step is left:',
        label: 'Activate the account',
        small:
          'The link works once, within 48 hours. If that was not you, ignore this email; the account stays inactive.',
      },
      password_reset: {
        subject: 'Choose a new podstep password',
        greeting: 'Hello {name},',
        reason: 'Somebody, hopefully you, wants a new password for your account:',
        label: 'Choose a new password',
        small:
          'The link works once, within 24 hours, and signs you out everywhere. If you did not ask for it, ignore this email; your password stays as it is.',
      },
      test: {
        subject: 'podstep can send email',
        greeting: 'Hello,',
        reason: 'This is the test email that an administrator asked for. If you can read it, sending email works.',
        small: 'There is nothing to do.',
      },
    },
    copy: 'Or copy this address into your browser:',
  },
  de: {
    kinds: {
      activation: {
        subject: 'Aktiviere dein podstep-Konto',
        greeting: 'Hallo {name},',
        reason: 'jemand, hoffentlich du, hat mit dieser Adresse ein Konto angelegt. Ein Schritt fehlt noch:',
        label: 'Konto aktivieren',
        small:
          'Der Link gilt einmal und 48 Stunden lang. Wenn du das nicht warst, ignoriere diese E-Mail; das Konto bleibt inaktiv.',
      },
      password_reset: {
        subject: 'Neues Passwort für podstep',
        greeting: 'Hallo {name},',
        reason: 'jemand, hoffentlich du, möchte ein neues Passwort für dein Konto:',
        label: 'Neues Passwort festlegen',
        small:
          'Der Link gilt einmal und 24 Stunden lang und meldet dich überall ab. Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail; dein Passwort bleibt, wie es ist.',
      },
      test: {
        subject: 'podstep kann E-Mails senden',
        greeting: 'Hallo,',
        reason: 'dies ist die Test-E-Mail aus der Verwaltung. Wenn du sie lesen kannst, klappt der Versand.',
        small: 'Du musst nichts weiter tun.',
      },
    },
    copy: 'Oder kopiere diese Adresse in deinen Browser:',
  },
  fr: {
    kinds: {
      activation: {
        subject: 'Active ton compte podstep',
        greeting: 'Bonjour {name},',
        reason: 'Quelqu’un, toi sans doute, a créé un compte avec cette adresse. Il ne reste qu’une étape :',
        label: 'Activer le compte',
        small:
          'Le lien est valable une seule fois, pendant 48 heures. Si ce n’était pas toi, ignore cet e-mail : le compte restera inactif.',
      },
      password_reset: {
        subject: 'Nouveau mot de passe podstep',
        greeting: 'Bonjour {name},',
        reason: 'Quelqu’un, toi sans doute, veut un nouveau mot de passe pour ton compte :',
        label: 'Définir un nouveau mot de passe',
        small:
          'Le lien est valable une seule fois, pendant 24 heures, et te déconnecte partout. Si tu n’as rien demandé, ignore cet e-mail : ton mot de passe ne change pas.',
      },
      test: {
        subject: 'podstep peut envoyer des e-mails',
        greeting: 'Bonjour,',
        reason: 'Voici l’e-mail de test demandé dans l’administration. Si tu peux le lire, l’envoi fonctionne.',
        small: 'Tu n’as rien à faire.',
      },
    },
    copy: 'Ou copie cette adresse dans ton navigateur :',
  },
  es: {
    kinds: {
      activation: {
        subject: 'Activa tu cuenta de podstep',
        greeting: 'Hola, {name}:',
        reason: 'Alguien, esperamos que tú, ha creado una cuenta con esta dirección. Solo falta un paso:',
        label: 'Activar la cuenta',
        small:
          'El enlace sirve una sola vez, durante 48 horas. Si no has sido tú, ignora este correo; la cuenta seguirá inactiva.',
      },
      password_reset: {
        subject: 'Nueva contraseña de podstep',
        greeting: 'Hola, {name}:',
        reason: 'Alguien, esperamos que tú, quiere una contraseña nueva para tu cuenta:',
        label: 'Establecer una contraseña nueva',
        small:
          'El enlace sirve una sola vez, durante 24 horas, y cierra todas tus sesiones. Si no lo has pedido tú, ignora este correo; tu contraseña no cambia.',
      },
      test: {
        subject: 'podstep puede enviar correos',
        greeting: 'Hola:',
        reason:
          'Este es el correo de prueba que ha pedido quien administra el servidor. Si puedes leerlo, el envío funciona.',
        small: 'No tienes que hacer nada.',
      },
    },
    copy: 'O copia esta dirección en tu navegador:',
  },
  it: {
    kinds: {
      activation: {
        subject: 'Attiva il tuo account podstep',
        greeting: 'Ciao {name},',
        reason: 'qualcuno, si spera tu, ha creato un account con questo indirizzo. Manca solo un passo:',
        label: 'Attiva l’account',
        small:
          'Il link vale una volta sola, per 48 ore. Se non sei stato tu, ignora questa e-mail: l’account resterà inattivo.',
      },
      password_reset: {
        subject: 'Nuova password di podstep',
        greeting: 'Ciao {name},',
        reason: 'qualcuno, si spera tu, vuole una nuova password per il tuo account:',
        label: 'Imposta una nuova password',
        small:
          'Il link vale una volta sola, per 24 ore, e ti disconnette ovunque. Se non l’hai chiesto tu, ignora questa e-mail: la tua password resta com’è.',
      },
      test: {
        subject: 'podstep può inviare e-mail',
        greeting: 'Ciao,',
        reason:
          'questa è l’e-mail di prova chiesta da chi amministra il server. Se riesci a leggerla, l’invio funziona.',
        small: 'Non devi fare nulla.',
      },
    },
    copy: 'Oppure copia questo indirizzo nel browser:',
  },
}
