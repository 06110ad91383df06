defmodule Votes do
  @moduledoc "Counts ballots by candidate."

  def count(ballots) do
    Enum.reduce(ballots, %{}, fn ballot, acc ->
      if valid?(ballot) do
        Map.update(acc, ballot.candidate, 1, &(&1 + 1))
      else
        acc
      end
    end)
  end

  defp valid?(%{candidate: name}) when is_binary(name), do: true
  defp valid?(_), do: false
end
