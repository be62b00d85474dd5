// The first page of a new install.
import { ArrowRight, Compass, Workflow } from 'lucide-react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { Logo } from '#renderer/shell/logo.tsx';
import { useStartTour } from '#renderer/onboarding/use-start-tour.ts';
import { shellText } from '#renderer/text/shell-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';

export function Welcome() {
  const { router } = useApp();
  const startTour = useStartTour();
  const { welcome } = shellText;
  return (
    <div className="mx-auto grid max-w-2xl gap-8 px-5 py-[8vh]">
      <header className="grid gap-3">
        <Logo />
        <h1 className="text-2xl font-semibold tracking-tight">{welcome.title}</h1>
        <p className="max-w-prose text-[0.9375rem] text-balance text-muted">{welcome.what}</p>
      </header>
      <section className="grid gap-3 rounded-xl bg-surface p-5 shadow-raised ring-1 ring-accent">
        <h2 className="flex items-center gap-2 text-[0.9375rem] font-semibold">
          <Compass aria-hidden className="size-4 text-accent" />
          {welcome.tryTitle}
        </h2>
        <p className="max-w-prose text-muted">{welcome.tryHint}</p>
        <Button
          variant="primary"
          onPress={startTour.perform}
          isPending={startTour.isPending}
          className="justify-self-start"
        >
          {startTour.isPending ? welcome.starting : welcome.tryIt}
          <ArrowRight aria-hidden className="size-4" />
        </Button>
        <Failure error={startTour.error} />
      </section>
      <section className="grid gap-3 px-5">
        <h2 className="flex items-center gap-2 text-[0.9375rem] font-semibold">
          <Workflow aria-hidden className="size-4 text-accent" />
          {welcome.ownTitle}
        </h2>
        <p className="max-w-prose text-muted">{welcome.ownHint}</p>
        <Button onPress={() => router.navigate(href.workflows())} className="justify-self-start">
          {welcome.own}
        </Button>
      </section>
    </div>
  );
}
