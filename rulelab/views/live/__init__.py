"""Work behind the page: sessions of searches, jobs in threads, and the line before the processors. No widgets."""
