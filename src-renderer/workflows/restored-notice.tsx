// On a restored device: why nothing runs, with a link to resume.
import { href } from '#renderer/router.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = upkeepText.restored;

export function RestoredNotice() {
  const { answer } = useCall('restored.get', {}, ['workflows']);
  if (answer === null || answer.workflows.length === 0) return null;
  return (
    <Notice tone="wait">
      <p>{WORDS.notice(answer.workflows.length)}</p>
      <Link to={href.settings('backups')} className="font-medium underline">
        {WORDS.toSettings}
      </Link>
    </Notice>
  );
}
